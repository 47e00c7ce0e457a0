/**
 * Keeps this process's core from sleeping, until the returned function is called. Whoever writes to a process that sleeps pays
 * for waking its core, tens of microseconds on a virtual machine: the slower a server is, the more often it would be charged
 * for that. Not where somebody else needs the core.
 */
export function keepCoreAwake(): () => void {
  let isAwake = true
  const turn = () => void (isAwake && setImmediate(turn))
  turn()
  return () => {
    isAwake = false
  }
}
