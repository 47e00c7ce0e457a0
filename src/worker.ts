import { createApp } from './app.ts'
import { startJobs } from './jobs/index.ts'
import { runProcess } from './lifecycle.ts'
import { createWorkerHttp } from './server/http/workerHttp.ts'

await runProcess(async (env) => {
  const app = await createApp(env)
  const http = createWorkerHttp(app)
  await http.listen()
  const waitingRoom = { ...app.waitingRoom, tick: http.countTicks(app.waitingRoom.tick) }
  const jobs = await startJobs({ ...app, waitingRoom }, { metrics: http.jobMetrics })
  return {
    async close(deadlineMs) {
      http.drain()
      await jobs.close(deadlineMs)
      http.close()
      await app.close()
    },
  }
})
