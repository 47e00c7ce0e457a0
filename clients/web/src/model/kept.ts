/** A value that survives a reload of the tab. It is lost with the tab, and where the browser forbids storage. */
export interface Kept<Value> {
  read(): Value | null
  write(value: Value | null): void
}

/** `name` distinguishes the values of one event's page. */
export function keptInTab<Value>(slug: string, name: string): Kept<Value> {
  const key = `fairgate.${slug}.${name}`
  return {
    read() {
      try {
        return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Value | null
      } catch {
        return null
      }
    },
    write(value) {
      try {
        if (value === null) sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, JSON.stringify(value))
      } catch {
        // The value lasts as long as the page.
      }
    },
  }
}
