/** False for a text that the database cannot store, and so does not have: with NUL, or with half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The years that ISO 8601 writes with four digits; PostgreSQL has others, and not all that `Date` has. */
export function isStorableInstant(instant: Date): boolean {
  const year = instant.getUTCFullYear()
  return year >= 1 && year <= 9999
}
