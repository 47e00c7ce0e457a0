// npm run keys: creates a file of signing keys and rotates them. See docs/ops.md.
import { chown, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { importKeys, type KeysFile, makeKeys, NEW_KEY } from '../src/keys.ts'

const USAGE = `npm run keys -- make <file>          creates a file with one key for each ring
npm run keys -- add <file> <ring>    adds a key at the end of the ring: it verifies, but does not sign yet
npm run keys -- use <file> <ring>    moves the last key to the front: it signs, the others verify
npm run keys -- drop <file> <ring>   keeps only the first key; tokens that the others signed become invalid

Rings: ${Object.keys(NEW_KEY).join(', ')}`

type Ring = keyof KeysFile

const [verb, path, ring] = process.argv.slice(2)

try {
  if (verb === 'make' && path && !ring) {
    // The flag wx never overwrites existing keys.
    await writeFile(path, toText(await makeKeys()), { mode: 0o600, flag: 'wx' })
  } else if (path && isRing(ring) && (verb === 'add' || verb === 'use' || verb === 'drop')) {
    const file = JSON.parse(await readFile(path, 'utf8')) as KeysFile
    await importKeys(file)
    await replace(path, { ...file, [ring]: await change(verb, ring, file[ring] ?? []) })
  } else {
    throw new Error(USAGE)
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

async function change<Key>(verb: 'add' | 'use' | 'drop', ring: Ring, keys: readonly Key[]): Promise<Key[]> {
  if (verb === 'add') return [...keys, (await NEW_KEY[ring]()) as Key]
  if (keys.length < 2)
    throw new Error(`The ring ${ring} has ${keys.length === 1 ? 'one' : 'no'} key. Add another one first.`)
  return verb === 'use' ? [keys.at(-1) as Key, ...keys.slice(0, -1)] : keys.slice(0, 1)
}

/** Replaces the file atomically, with the same owner and permissions. */
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
