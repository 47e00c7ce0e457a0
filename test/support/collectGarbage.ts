import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/* Loaded into a process before anything else: the process collects its garbage at SIGUSR2, so that a test can read what it keeps. */

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', collect)
