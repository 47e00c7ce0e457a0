import { createApp } from './app.ts'
import { startJobs } from './jobs/index.ts'
import { runProcess } from './lifecycle.ts'
import { createWorkerHttp } from './server/http/workerHttp.ts'

await runProcess(async (env) => {
  const app = await createApp(env)
  const monitor = createWorkerHttp(app)
  await monitor.listen()
  const pacer = { tick: monitor.countTicks(app.pacer.tick) }
  const jobs = await startJobs({ ...app, pacer }, { observer: monitor.observer })
  return {
    async close(deadlineMs) {
      monitor.drain()
      await jobs.close(deadlineMs)
      monitor.close()
      await app.close()
    },
  }
})
