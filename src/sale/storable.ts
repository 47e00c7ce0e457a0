/** Returns false for a text that the database cannot store, and so cannot contain: with NUL or half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Returns true for the years that ISO 8601 writes with four digits. PostgreSQL and `Date` have different further years. */
export function isStorableInstant(instant: Date): boolean {
  const year = instant.getUTCFullYear()
  return year >= 1 && year <= 9999
}
