/**
 * Reads on until `check` passes, and returns that value. An assertion thus waits for the very state that it asserts.
 * After 20 s it throws the last failure of `check`.
 */
export async function readUntil<Value>(
  next: () => Promise<Value>,
  check: (value: Value) => void,
): Promise<Value> {
  const end = performance.now() + 20_000
  for (;;) {
    const value = await next()
    try {
      check(value)
      return value
    } catch (failure) {
      if (performance.now() > end) throw failure
    }
  }
}
