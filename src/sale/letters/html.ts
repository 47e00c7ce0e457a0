const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A piece of HTML that `html` made. A plain string is never one. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | Html | readonly (string | Html)[]

/** A template of HTML. Each value is escaped, unless it is itself a piece of HTML; a list is joined. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + toHtml(values[i - 1] ?? '') + part))
}

function toHtml(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value !== 'string') return value.map(toHtml).join('')
  return value.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
