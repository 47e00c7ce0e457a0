import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isUnionType,
} from 'graphql'

/** Texts for every place where a text may go: hostile Unicode, and what SQL, Redis, Lua, mail or a file system might obey. */
const HOSTILE_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud83d',
    '\udc00',
    '\u202egnp.exe',
    '\ufeff',
    '\u2800',
    '\u200b',
    'e\u0301'.repeat(99),
  ],
  ...[
    '\r\n',
    'a\r\nBcc: x@example.com',
    '"\r\nDATA\r\n.\r\n',
    'x@example.com,y@example.com',
    '<x@example.com>',
  ],
  ...[
    "'; drop table events; --",
    "' or '1'='1",
    '$1',
    '\u0024{1}',
    '%s%n',
    '\\',
    "\\'",
    '%',
    '_',
    '" & ! | :* <->',
    "':*",
  ],
  ...[
    '*3\r\n$8\r\nFLUSHALL\r\n',
    "redis.call('flushall')",
    ']] error() --',
    '{tag}',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    '../../etc/passwd',
    '..\\..\\',
    '/dev/null',
    'CON',
    'a/b',
    '.',
    '%2e%2e%2f',
    'file:///etc/passwd',
    '<script>',
    '{{7*7}}',
  ],
  ...[
    'NaN',
    'Infinity',
    '-0',
    '1e999',
    '0x10',
    '9007199254740993',
    'null',
    'true',
    '[]',
    '{}',
    '2026-11-29T10:00:00Z',
  ],
  ...[
    'a'.repeat(201),
    'a'.repeat(2_047),
    'é'.repeat(3_000),
    '\u{1f600}'.repeat(5_000),
    'a b '.repeat(5_000),
    '𝒳'.repeat(40),
  ],
  ...[
    'evt_',
    'evt_x',
    `evt_${'x'.repeat(33)}`,
    'hld_x_x',
    'ord_x_x',
    'tkt_x_x',
    'wle_x_x',
    'aud_x',
    'aud_9',
    'dl_x',
    'dl_',
  ],
  ...['sec_x_0', 'seat_x_999999999', 'lvl_x_1', 'aud_99999999999999999999', 'dl_99999999999999999999'],
  // Cursors: base64url of JSON.
  ...[
    'W10',
    'WyIxIl0',
    Buffer.from('["1e-320","x","y"]').toString('base64url'),
    Buffer.from('["\\u0000","0"]').toString('base64url'),
  ],
  Buffer.from('["NaN","2026-01-01T00:00:00.000Z","evt_x"]').toString('base64url'),
  Buffer.from('["1","9999-12-31T23:59:59.999Z","evt_x"]').toString('base64url'),
  Buffer.from('["2026-01-01T00:00:00.000Z","99999999999999999999"]').toString('base64url'),
  Buffer.from('["9999-12-31T23:59:59.999999Z","aud_99999999999999999999"]').toString('base64url'),
  Buffer.from('["-271821-04-20T00:00:00.000Z","x"]').toString('base64url'),
]

const INTS = [
  0,
  -0,
  1,
  -1,
  2,
  100,
  101,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  0.5,
]
const FLOATS = [
  ...INTS,
  5e-324,
  -5e-324,
  2.2e-308,
  1e-45,
  1e-7,
  89.9999999,
  90,
  -180,
  180.0000001,
  1e308,
  -1e308,
  3.5e38,
]
const INSTANTS = [
  ...[
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '1969-12-31T23:59:59.999Z',
    '2000-01-01T00:00:00+23:59',
  ],
  ...[
    '2026-11-29T10:00:00Z',
    '2030-01-01T00:00:00.123456789Z',
    '2026-02-30T00:00:00Z',
    '294276-12-31T00:00:00Z',
  ],
]

export interface Source {
  /** Returns a whole number from 0 up to `below`. */
  upTo(below: number): number
  /** Ids, keys and tokens that exist, so that hostile values beside them reach the code behind the first check. */
  readonly known: readonly string[]
}

export function source(random: () => number, known: readonly string[]): Source {
  return { upTo: (below) => Math.floor(random() * below), known }
}

function oneOf<T>({ upTo }: Source, values: readonly T[]): T {
  return values[upTo(values.length)] as T
}

/** Returns any value of JSON, to a depth. */
function anyJson(from: Source, depth = 3): unknown {
  const kind = from.upTo(depth > 0 ? 8 : 5)
  if (kind === 0) return null
  if (kind === 1) return from.upTo(2) === 0
  if (kind === 2) return oneOf(from, FLOATS)
  if (kind < 5) return hostileText(from)
  const length = from.upTo(5)
  if (kind === 5) return Array.from({ length }, () => anyJson(from, depth - 1))
  const keys = [
    'zones',
    'rows',
    'seats',
    'categories',
    'size',
    'position',
    'name',
    'seat_guid',
    'row_number',
    'areas',
  ]
  return Object.fromEntries(
    Array.from({ length }, () => [
      from.upTo(3) === 0 ? hostileText(from) : oneOf(from, keys),
      anyJson(from, depth - 1),
    ]),
  )
}

function hostileText(from: Source): string {
  const text = oneOf(from, HOSTILE_TEXTS)
  return from.upTo(8) === 0 ? `${oneOf(from, from.known)}${text}` : text
}

/** Returns a value for an input: mostly of its type and hostile, at times of another type. */
function hostileValue(from: Source, type: GraphQLInputType): unknown {
  if (from.upTo(40) === 0) return anyJson(from, 1)
  if (isNonNullType(type)) return from.upTo(40) === 0 ? null : hostileValue(from, type.ofType)
  if (from.upTo(12) === 0) return null
  if (isListType(type)) {
    const length = oneOf(from, [0, 1, 1, 2, 3, 20, from.upTo(20) === 0 ? 1_500 : 4])
    return Array.from({ length }, () => hostileValue(from, type.ofType))
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    if (type.isOneOf && from.upTo(10) > 0) {
      const field = oneOf(from, fields)
      return { [field.name]: hostileValue(from, field.type) }
    }
    const given = fields.filter((field) => isRequiredInputField(field) || from.upTo(2) === 0)
    return Object.fromEntries(given.map((field) => [field.name, hostileValue(from, field.type)]))
  }
  if (isEnumType(type)) return from.upTo(10) === 0 ? hostileText(from) : oneOf(from, type.getValues()).name
  switch (type.name) {
    case 'Int':
    case 'SafeInt':
      return oneOf(from, INTS)
    case 'Float':
      return oneOf(from, FLOATS)
    case 'Boolean':
      return from.upTo(2) === 0
    case 'DateTime':
      return from.upTo(6) === 0 ? hostileText(from) : oneOf(from, INSTANTS)
    case 'JSON':
      return from.upTo(3) === 0 ? JSON.stringify(anyJson(from)) : anyJson(from)
    default:
      return from.upTo(3) === 0 ? oneOf(from, from.known) : hostileText(from)
  }
}

export interface FuzzCase {
  readonly query: string
  readonly variables: Record<string, unknown>
}

/** Returns an operation of one root field with hostile arguments, in its own fields too. */
export function hostileCase(
  from: Source,
  operation: 'query' | 'mutation' | 'subscription',
  field: GraphQLField<unknown, unknown>,
): FuzzCase {
  const variables: Record<string, unknown> = {}
  const definitions: string[] = []

  function call({ name, args }: GraphQLField<unknown, unknown>): string {
    const given = args.filter(
      ({ type, defaultValue }) => (isNonNullType(type) && defaultValue === undefined) || from.upTo(2) === 0,
    )
    if (given.length === 0) return name
    const texts = given.map((arg) => {
      const variable = `v${definitions.length}`
      definitions.push(`$${variable}: ${arg.type}`)
      variables[variable] = hostileValue(from, arg.type)
      return `${arg.name}: $${variable}`
    })
    return `${name}(${texts.join(', ')})`
  }

  function select(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type)
    if (isLeafType(named)) return ''
    if (isUnionType(named) || depth === 0 || !(isObjectType(named) || isInterfaceType(named)))
      return ' { __typename }'
    const fields = Object.values(named.getFields())
      .filter(() => from.upTo(3) === 0)
      .slice(0, 6)
    return ` { __typename ${fields.map((inner) => `${call(inner)}${select(inner.type, depth - 1)}`).join(' ')} }`
  }

  const selected = `${call(field)}${select(field.type, 3)}`
  const head = definitions.length > 0 ? ` (${definitions.join(', ')})` : ''
  return { query: `${operation}${head} { ${selected} }`, variables }
}
