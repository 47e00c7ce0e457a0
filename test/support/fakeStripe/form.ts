import { invalidRequest } from './errors.ts'

/** A request's parameters: `metadata[order]=x` becomes `metadata: { order: 'x' }`, and `expand[0]=y` becomes `['y']`. */
export type Form = { [name: string]: string | Form | string[] }

export function readForm(body: string | URLSearchParams): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(body)) {
    const path = name.replaceAll(']', '').split('[')
    let at: Record<string, unknown> = form
    for (const [depth, part] of path.slice(0, -1).entries()) {
      const isList = /^\d*$/.test(path[depth + 1] as string)
      at[part] ??= isList ? [] : {}
      at = at[part] as Record<string, unknown>
    }
    at[path.at(-1) as string] = value
  }
  return form
}

/** Refuses parameters that Stripe's API does not have: a misspelt one must fail a test. */
export function refuseOthers(form: Form, known: readonly string[]): void {
  for (const name of Object.keys(form))
    if (!known.includes(name))
      throw invalidRequest(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name })
}

/** Returns a whole positive number. Throws Stripe's error for anything else. */
export function wholeNumber(form: Form, name: string): number {
  const value = form[name]
  if (typeof value !== 'string' || !/^\d+$/.test(value))
    throw invalidRequest(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param: name })
  return Number(value)
}
