/** Names of fields whose values only their owner may read. */
const PRIVATE_FIELD =
  /pass|secret|token|credential|authori[sz]ation$|cookie|api_?key|card|cvc|iban|payment_?method|e_?mail|phone|address|(first|last|full|display|user)_?name$|birth/i

const REMOVED = '[removed]'

/** Patterns of personal data and secrets in any text. */
const PRIVATE_TEXT: readonly [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, REMOVED],
  [/\bBearer\s+\S+/gi, `Bearer ${REMOVED}`],
  [/:\/\/[^/\s:@]*:[^/\s@]+@/g, `://${REMOVED}@`],
  [/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, REMOVED],
  [/\b(?:sk|pk|rk|tok|pm|whsec|seti|card)_[\w-]{4,}/g, REMOVED],
  [/\b\d(?:[ -]?\d){12,18}\b/g, REMOVED],
]

const LONGEST_TEXT = 2_000
const DEEPEST = 8

/** Returns JSON that ops may read: every value that looks like a secret or like personal data is removed. */
export function withoutSecrets(data: unknown, depth = 0): unknown {
  if (typeof data === 'string') return withoutSecretsText(data)
  if (typeof data !== 'object' || data === null) return data
  if (depth >= DEEPEST) return REMOVED
  if (Array.isArray(data)) return data.map((item) => withoutSecrets(item, depth + 1))
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      PRIVATE_FIELD.test(name) ? REMOVED : withoutSecrets(value, depth + 1),
    ]),
  )
}

export function withoutSecretsText(text: string): string {
  const clean = PRIVATE_TEXT.reduce((so, [pattern, replacement]) => so.replaceAll(pattern, replacement), text)
  return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean
}
