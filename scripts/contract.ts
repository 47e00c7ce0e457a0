// node scripts/contract.ts <contract.graphql>: compares schema/schema.graphql with a contract.
import { readFile } from 'node:fs/promises'
import { differences } from '../test/gates/contract.ts'

const path = process.argv[2] ?? ''
const [contract, schema] = await Promise.all([
  readFile(path, 'utf8'),
  readFile(new URL('../schema/schema.graphql', import.meta.url), 'utf8'),
])
const found = differences(contract, schema)
for (const line of found) process.stdout.write(`${line}\n`)
process.exitCode = found.length > 0 ? 1 : 0
