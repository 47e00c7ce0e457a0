/** The currencies whose minor unit has not two decimals, by ISO 4217 (list one). */
const DECIMALS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const decimalsOf = new Map(
  Object.entries(DECIMALS).flatMap(([decimals, codes]) =>
    codes.split(' ').map((code) => [code, Number(decimals)] as const),
  ),
)

/** Returns the number of decimals of a currency's minor unit: EUR 2, JPY 0, KWD 3. */
export function decimals(currency: string): number {
  return decimalsOf.get(currency) ?? 2
}
