/**
 * Returns an error without its stack trace, for errors that are answers. No log shows their stack, and it takes most of the time
 * of a refusal (`bench/forty-events.ts`).
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = limit
  }
}
