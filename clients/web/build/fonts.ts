// node clients/web/build/fonts.ts: makes the page's fonts from Archivo, and writes them to src/fonts. The result is committed,
// because a subset costs seconds of CPU at each build.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import subsetFont from 'subset-font'

const require = createRequire(import.meta.url)
const archivo = (part: string) =>
  readFileSync(require.resolve(`@fontsource-variable/archivo/files/archivo-${part}-wdth-normal.woff2`))

const between = (first: number, last: number) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i))
const ASCII = between(0x20, 0x7e)
/** The letters and signs of English, German, French and Spanish. */
const WESTERN = `${ASCII}${between(0xa0, 0xff)}ŒœŸ–—‘’‚“”„…•€×\u2009\u202f`

/**
 * One variable font with both axes has 76 kB, three that each serve one purpose have half of it. The browser chooses among
 * them by weight and stretch (style/fonts.css), and loads the narrow one only for a countdown or a place.
 */
const FONTS = {
  text: { part: 'latin', text: WESTERN, axes: { wght: { min: 400, max: 760 }, wdth: 100 } },
  wide: { part: 'latin', text: WESTERN, axes: { wght: 800, wdth: 118 } },
  narrow: { part: 'latin', text: ASCII, axes: { wght: 820, wdth: 83 } },
  // Names of other languages that use Latin letters. The browser loads it where a name has one.
  extended: {
    part: 'latin-ext',
    text: between(0x100, 0x17f),
    axes: { wght: { min: 400, max: 760 }, wdth: 100 },
  },
}

for (const [name, { part, text, axes }] of Object.entries(FONTS)) {
  const font = await subsetFont(archivo(part), text, { targetFormat: 'woff2', variationAxes: axes })
  writeFileSync(new URL(`../src/fonts/${name}.woff2`, import.meta.url), font)
  process.stdout.write(`${name} ${font.length} bytes\n`)
}
