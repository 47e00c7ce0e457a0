/**
 * ISO 4217 codes with a minor unit that Intl leaves out: funds, units of account, and the newest one. Metals,
 * bond units and the codes for tests or for no currency have no minor unit, so nothing can be priced in them.
 */
const BEYOND_INTL = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW', 'VED', 'XAD']

const CODES = new Set([...Intl.supportedValuesOf('currency'), ...BEYOND_INTL])

/**
 * Whether prices can be in it: every ISO 4217 currency. Intl's list is current with Node, and keeps a few codes
 * for a while after they were withdrawn.
 */
export function isCurrency(code: string): boolean {
  return CODES.has(code)
}
