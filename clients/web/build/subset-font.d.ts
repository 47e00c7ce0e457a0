declare module 'subset-font' {
  interface Options {
    targetFormat: 'woff2'
    variationAxes: Record<string, number | { min: number; max: number }>
  }
  /** Returns a font with the characters of the text only. */
  export default function subsetFont(font: Buffer, text: string, options: Options): Promise<Buffer>
}
