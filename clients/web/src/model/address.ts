/** Returns a part of the address as text; null where the fan or another site wrote one that is no text, such as "%". */
export function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
