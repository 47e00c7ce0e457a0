import { createApp } from './app.ts'
import { startJobs } from './jobs/index.ts'
import { runProcess } from './lifecycle.ts'

await runProcess(async (env) => {
  const app = await createApp(env)
  const jobs = await startJobs(app)
  return {
    async close(deadlineMs) {
      await jobs.close(deadlineMs)
      await app.close()
    },
  }
})
