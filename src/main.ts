import { createApp } from './app.ts'
import { runProcess } from './lifecycle.ts'
import { requireFit } from './server/fitness/start.ts'
import { createServer } from './server/index.ts'

await runProcess(async (env) => {
  const app = await createApp(env)
  await requireFit(app)
  app.pulse.start()
  const server = createServer(app)
  await server.listen()
  return {
    async close(deadlineMs) {
      server.drain()
      await server.close(deadlineMs)
      await app.close()
    },
  }
})
