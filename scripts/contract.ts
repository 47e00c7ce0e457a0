// node scripts/contract.ts <contract.graphql>: checks that schema/schema.graphql keeps a contract.
// schema/contract-additions.json lists the enum values and union members that the schema has beyond the contract:
// [{ "type": "PaymentState", "member": "ON_HOLD", "reason": "issue 12: a payment can wait for a review" }]
import { readFile } from 'node:fs/promises'
import { differences, readAdditions } from '../test/gates/contract.ts'

const path = process.argv[2] ?? ''
const [contract, schema, additions] = await Promise.all([
  readFile(path, 'utf8'),
  readFile(new URL('../schema/schema.graphql', import.meta.url), 'utf8'),
  readFile(new URL('../schema/contract-additions.json', import.meta.url), 'utf8'),
])
const found = differences(contract, schema, readAdditions(additions))
for (const line of found) process.stdout.write(`${line}\n`)
process.exitCode = found.length > 0 ? 1 : 0
