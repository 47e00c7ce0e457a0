import { type Model, parseMessage, validate } from 'messageformat'

/**
 * Compiles a message of MessageFormat 2 to a JavaScript expression: a string, or a function of the values `v` and the
 * locale's formatter `f`. It supports what the page's texts use: placeholders, `:integer`, `:string`, and `.match` on
 * exact values and plural categories.
 *
 * Throws for a message that cannot be parsed, and for every other feature of MessageFormat.
 */
export function compileText(source: string): string {
  const message = parseMessage(source)
  validate(message)
  const kinds = new Map<string, string>()
  for (const { type, name, value } of message.declarations) {
    if (type !== 'input') throw new Error(`a text has a ${type} declaration: ${source}`)
    kinds.set(name, kindOf(value))
  }
  if (message.type === 'message') {
    const text = compilePattern(message.pattern)
    return text.startsWith('"') ? text : `(v,f)=>${text}`
  }
  const names = message.selectors.map(({ name }) => name)
  const variants = [...message.variants].sort((a, b) => rank(a).localeCompare(rank(b)))
  const branches = variants.map(({ keys, value }) => ({
    condition: keys
      .map((key, i) => compileKey(key, names[i] as string, kinds.get(names[i] as string)))
      .filter((condition) => condition !== '')
      .join('&&'),
    text: compilePattern(value),
  }))
  const last = branches.pop()
  if (last?.condition !== '') throw new Error(`a text has no variant for every other value: ${source}`)
  return `(v,f)=>${branches.map(({ condition, text }) => `${condition}?${text}:`).join('')}${last.text}`
}

/** Exact values come before categories, and categories before the rest, as the standard's best match asks. */
function rank({ keys }: Model.Variant): string {
  return keys.map((key) => (key.type === '*' ? 2 : /^\d/.test(key.value) ? 0 : 1)).join('')
}

function compileKey(key: Model.Variant['keys'][number], name: string, kind: string | undefined): string {
  if (key.type === '*') return ''
  const value = `v.${name}`
  if (kind === 'string') return `${value}===${JSON.stringify(key.value)}`
  return /^\d/.test(key.value)
    ? `${value}==${key.value}`
    : `f.plural(${value})===${JSON.stringify(key.value)}`
}

function compilePattern(pattern: Model.Pattern): string {
  const parts = pattern.map((part) => {
    if (typeof part === 'string') return { text: part, isCode: false }
    if (part.type !== 'expression' || part.arg?.type !== 'variable') throw new Error('a text has markup')
    if (part.functionRef) kindOf(part)
    return { text: `f.value(v.${part.arg.name})`, isCode: true }
  })
  if (parts.every(({ isCode }) => !isCode)) return JSON.stringify(parts.map(({ text }) => text).join(''))
  const inside = parts.map(({ text, isCode }) =>
    isCode ? `\${${text}}` : text.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`),
  )
  return `\`${inside.join('')}\``
}

function kindOf({ functionRef }: Model.Expression): string {
  const kind = functionRef?.name ?? 'string'
  if (kind !== 'integer' && kind !== 'string') throw new Error(`a text uses :${kind}`)
  return kind
}
