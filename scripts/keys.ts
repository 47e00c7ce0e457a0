// npm run keys: makes a file of signing keys, and rotates one. See docs/ops.md.
import { chown, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { importKeys, type KeysFile, makeKeys, NEW_KEY } from '../src/keys.ts'

const USAGE = `npm run keys -- make <file>          a new file, one key a ring
npm run keys -- add <file> <ring>    a new key, the last of its ring: it verifies, and signs nothing yet
npm run keys -- use <file> <ring>    the last key goes first: it signs, the others verify
npm run keys -- drop <file> <ring>   the first key stays; what the others signed is void from now on

Rings: ${Object.keys(NEW_KEY).join(', ')}`

type Ring = keyof KeysFile

const [verb, path, ring] = process.argv.slice(2)

try {
  if (verb === 'make' && path && !ring) {
    // Never over keys that somebody uses.
    await writeFile(path, toText(await makeKeys()), { mode: 0o600, flag: 'wx' })
  } else if (path && isRing(ring) && (verb === 'add' || verb === 'use' || verb === 'drop')) {
    const file = JSON.parse(await readFile(path, 'utf8')) as KeysFile
    await importKeys(file)
    await replace(path, { ...file, [ring]: await change(verb, ring, file[ring]) })
  } else {
    throw new Error(USAGE)
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

async function change<Key>(verb: 'add' | 'use' | 'drop', ring: Ring, keys: readonly Key[]): Promise<Key[]> {
  if (verb === 'add') return [...keys, (await NEW_KEY[ring]()) as Key]
  if (keys.length === 1) throw new Error(`The ring ${ring} has one key. Add another one first.`)
  return verb === 'use' ? [keys.at(-1) as Key, ...keys.slice(0, -1)] : keys.slice(0, 1)
}

/** Whole or not at all, for whoever may read the file now. */
async function replace(path: string, file: KeysFile): Promise<void> {
  const { mode, uid, gid } = await stat(path)
  const next = `${path}.next`
  await writeFile(next, toText(file), { mode })
  await chown(next, uid, gid)
  await rename(next, path)
}

function toText(file: KeysFile): string {
  return `${JSON.stringify(file, null, 2)}\n`
}

function isRing(text: string | undefined): text is Ring {
  return text !== undefined && Object.hasOwn(NEW_KEY, text)
}
