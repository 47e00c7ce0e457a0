/**
 * ISO 4217 codes with a minor unit that Intl leaves out: funds, units of account, and the newest code. Metals,
 * bond units and the codes for tests or for no currency have no minor unit, so they cannot express a price.
 */
const BEYOND_INTL = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW', 'VED', 'XAD']

const CODES = new Set([...Intl.supportedValuesOf('currency'), ...BEYOND_INTL])

/**
 * Returns true for every ISO 4217 currency that can express a price. Intl's list is current with Node, and keeps
 * a few codes for a while after their withdrawal.
 */
export function isCurrency(code: string): boolean {
  return CODES.has(code)
}
