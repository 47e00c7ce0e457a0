/**
 * Keeps this process's core awake until the returned function is called. A write to a sleeping process costs the writer
 * tens of microseconds on a virtual machine, to wake the core. A slower server would pay this more often. Do not use it if
 * another process needs the core.
 */
export function keepCoreAwake(): () => void {
  let isAwake = true
  const loop = () => void (isAwake && setImmediate(loop))
  loop()
  return () => {
    isAwake = false
  }
}
