import { createApp } from './app.ts'
import { startJobs } from './jobs/index.ts'
import { runProcess } from './lifecycle.ts'
import { createWorkerHttp } from './server/http/workerHttp.ts'

await runProcess(async (env) => {
  const app = await createApp(env)
  const monitor = createWorkerHttp(app)
  await monitor.listen()
  const waitingRoom = { ...app.waitingRoom, tick: monitor.countTicks(app.waitingRoom.tick) }
  const jobs = await startJobs({ ...app, waitingRoom }, { observer: monitor.observer })
  return {
    async close(deadlineMs) {
      monitor.drain()
      await jobs.close(deadlineMs)
      monitor.close()
      await app.close()
    },
  }
})
