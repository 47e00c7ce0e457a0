import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

const SRC = fileURLToPath(new URL('../../clients/web/src/', import.meta.url))

/** Attributes that a fan reads or hears. */
const READ = new Set(['aria-label', 'aria-description', 'alt', 'label', 'placeholder', 'title'])
/** Attributes whose value is never read out: two words of it are two classes, or a drawing. */
const UNREAD = new Set(['class', 'd', 'style', 'transform', 'viewBox', 'preserveAspectRatio', 'content'])
/** Two words in a row, or one capitalized word: a string of a sentence, not a key. */
const PROSE = /\p{L}{2,} \p{L}{2,}|^\p{Lu}\p{Ll}+[ .!?…]?$/u
/** Names of the product, the web platform and our API look like words of a sentence. So does a command line. */
const NAMES =
  /^(?:Fairgate|npm run .*|Arrow\w+|Home|End|Escape|Enter|Tab|Order|Hold|Infinity|[A-Z]\w*[a-z][A-Z]\w*) ?$/

interface Node {
  type: string
  start: number
  [key: string]: unknown
}

/** One line for each text that stands in the page's code instead of in its texts. */
export function rawTexts(path: string, code: string): string[] {
  const { program, errors } = parseSync(path, code, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const found: string[] = []
  const report = (node: Node, text: string) => {
    const line = code.slice(0, node.start).split('\n').length
    found.push(`${path}:${line}: ${text.trim()}`)
  }

  function visit(node: Node, attribute: string | null): void {
    if (/^(Import|Export)\w*Declaration$/.test(node.type) && node.source) return
    if (node.type.startsWith('TS') && node.type !== 'TSAsExpression' && node.type !== 'TSSatisfiesExpression')
      return
    // The message of a fault is for developers.
    if (node.type === 'ThrowStatement' || node.type === 'ImportExpression' || isError(node)) return
    if (node.type === 'JSXText' && /\p{L}/u.test(String(node.value)) && !NAMES.test(String(node.value)))
      report(node, String(node.value))
    const text = textOf(node)
    if (text !== null && isRaw(text, attribute)) report(node, text)
    const inside = node.type === 'JSXAttribute' ? String((node.name as { name: unknown }).name) : attribute
    for (const [key, value] of Object.entries(node)) {
      if (key === 'parent') continue
      for (const child of Array.isArray(value) ? value : [value])
        if (child && typeof child === 'object' && typeof (child as Node).type === 'string')
          visit(child as Node, inside)
    }
  }
  visit(program as unknown as Node, null)
  return found
}

function isError({ type, callee }: Node): boolean {
  return type === 'NewExpression' && /Error$/.test(String((callee as { name?: string }).name))
}

function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateElement') return (node.value as { cooked: string }).cooked
  return null
}

function isRaw(text: string, attribute: string | null): boolean {
  if (attribute !== null && UNREAD.has(attribute)) return false
  if (attribute !== null && READ.has(attribute)) return /\p{L}/u.test(text) && !/^\w+\.\w+$/.test(text)
  return PROSE.test(text) && !NAMES.test(text)
}

/** Each language is listed by its own name. */
const LANGUAGES = join(SRC, 'i18n/locale.ts')

/** The page's code, without its texts. */
export function pageSources(ending: RegExp): { path: string; code: string }[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(SRC, 'texts/')) && path !== LANGUAGES)
    .sort()
    .map((path) => ({ path: path.slice(SRC.length), code: readFileSync(path, 'utf8') }))
}

/** A property of one side, where a language that runs from right to left needs the other one. */
const ONE_SIDED =
  /(?:^|[\s;{])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)|left|right|border-(?:top|bottom)-(?:left|right)-radius)[\w-]*\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)\b/

/** One line for each style that does not follow the direction of the language. */
export function oneSidedStyles(path: string, css: string): string[] {
  return css
    .split('\n')
    .flatMap((line, i) => (ONE_SIDED.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : []))
}
