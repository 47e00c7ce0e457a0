import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const DOC = readFileSync(new URL('../../docs/draw.md', import.meta.url), 'utf8')
/** An earlier table in the document, of the fields, has rows of the same names. */
const VECTORS = DOC.slice(DOC.indexOf('Three vectors'))

export interface DrawVector {
  readonly seed: string
  readonly commitment: string
  readonly eventId: string
  readonly size: number
  readonly beacon: string
  /** The places of the first arrival indexes. */
  readonly first: number[]
  readonly digest: string
}

/** The test vectors of docs/draw.md. */
export const DRAW_VECTORS: readonly DrawVector[] = ['1', '2', '3'].map((name, i) => {
  const cell = (row: string): string => {
    const line = VECTORS.split('\n').find((text) => text.startsWith(`| ${row}`))
    const found = line?.split('|')[i + 2]
    if (found === undefined) throw new Error(`docs/draw.md has no ${row} of vector ${name}`)
    return found.replaceAll('`', '').trim()
  }
  const seed = cell('seed')
  const beacon = cell('beacon')
  return {
    seed: seed === '32 zero bytes' ? '00'.repeat(32) : seed,
    commitment: cell('commitment'),
    eventId: cell('event id'),
    size: Number(cell('size')),
    beacon: beacon === 'none' ? '' : beacon,
    first: (cell('places of 1').match(/\d+/g) ?? []).map(Number),
    digest: cell('SHA-256 of all'),
  }
})

/** Returns an example program of docs/draw.md. */
export function example(language: 'js' | 'python'): string {
  const code = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(DOC)?.[1]
  if (code === undefined) throw new Error(`docs/draw.md has no example in ${language}`)
  return code
}

export function digestOf(places: ArrayLike<number>): string {
  return createHash('sha256').update(Array.from(places).join(' ')).digest('hex')
}
