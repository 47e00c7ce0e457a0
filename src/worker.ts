import { createApp } from './app.ts'
import { startJobs } from './jobs/index.ts'
import { runProcess } from './lifecycle.ts'
import { requireFit } from './server/fitness/start.ts'
import { createWorkerHttp } from './server/http/workerHttp.ts'

await runProcess(async (env) => {
  const app = await createApp(env)
  await requireFit(app)
  app.pulse.start()
  const workerHttp = createWorkerHttp(app)
  await workerHttp.listen()
  const pacer = { tick: workerHttp.countTicks(app.pacer.tick) }
  const jobs = await startJobs({ ...app, pacer }, { metrics: workerHttp.jobMetrics })
  return {
    async close(deadlineMs) {
      workerHttp.drain()
      await jobs.close(deadlineMs)
      workerHttp.close()
      await app.close()
    },
  }
})
