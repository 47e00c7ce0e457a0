// Loaded into a measured server before its own code: tells what it has used of a processor, in microseconds, and what it
// holds of memory, in bytes, once garbage is collected.
process.on('message', (question) => {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpu: user + system })
  }
  if (question === 'memory') {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({ memory: heapUsed + external })
  }
})
process.channel?.unref()
