/** Names of fields whose values only their owner may read. */
const PRIVATE_FIELD =
  /pass|secret|token|device|challenge|barcode|seed|private_?key|credential|authori[sz]ation$|cookie|api_?key|card|cvc|iban|payment_?method|e_?mail|phone|address|(first|last|full|display|user)_?name$|birth/i

const REMOVED = '[removed]'

/** Patterns of personal data and secrets in any text. */
const PRIVATE_TEXT: readonly [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, REMOVED],
  [/\bFG1:[0-9A-Z $%*+\-./:]{40,}/g, REMOVED],
  [/\bBearer\s+\S+/gi, `Bearer ${REMOVED}`],
  [/:\/\/[^/\s:@]*:[^/\s@]+@/g, `://${REMOVED}@`],
  [/<[^<>@\s]+@[^<>@\s]+>/g, `<${REMOVED}>`],
  [/[\p{L}\p{N}_.+-]+@[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)+/gu, REMOVED],
  [/\b(?:sk|pk|rk|tok|pm|whsec|seti|card)_[\w-]{4,}/g, REMOVED],
  [/\b\d(?:[ -]?\d){12,18}\b/g, REMOVED],
]

const LONGEST_TEXT = 2_000
/** A stack and its causes: their lines are ours, and the log needs them. */
const LONGEST_STACK = 8_000
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

export function withoutSecretsText(text: string, longest = LONGEST_TEXT): string {
  const clean = PRIVATE_TEXT.reduce((so, [pattern, replacement]) => so.replaceAll(pattern, replacement), text)
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean
}

/**
 * The other fields of an error that a log may have. All further fields are left out: libraries attach what they worked on,
 * such as ioredis the refused command with its password, GraphQL the document, and nodemailer the recipients.
 */
const ERROR_FIELDS = ['code', 'errno', 'syscall', 'port', 'severity', 'table', 'constraint', 'routine']
const MOST_CAUSES = 4

/** Returns an error as the log may have it: its type, message, stack, codes and causes, each without secrets. */
export function errorWithoutSecrets(error: unknown, causes = MOST_CAUSES): unknown {
  if (!(error instanceof Error)) return withoutSecrets(error)
  const given = error as Error & Record<string, unknown>
  const fields = ERROR_FIELDS.map((name) => [name, given[name]] as const).filter(([, value]) =>
    ['string', 'number'].includes(typeof value),
  )
  const inner = (cause: unknown) => errorWithoutSecrets(cause, causes - 1)
  return {
    type: error.name,
    message: withoutSecretsText(error.message),
    stack: withoutSecretsText(error.stack ?? '', LONGEST_STACK),
    ...(withoutSecrets(Object.fromEntries(fields)) as object),
    ...(causes > 0 && error.cause !== undefined && { cause: inner(error.cause) }),
    ...(causes > 0 &&
      error instanceof AggregateError && { errors: error.errors.slice(0, MOST_CAUSES).map(inner) }),
  }
}
