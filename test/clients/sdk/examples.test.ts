import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { startJobs } from '../../../src/jobs/index.ts'
import { insertEvent } from '../../support/event.ts'
import { QUICK } from '../../support/jobs.ts'
import { testServer } from '../../support/server.ts'

const { app, db, url } = await testServer()
const jobs = await startJobs(app, { timings: QUICK })
afterAll(() => jobs.close(5_000))
const event = await insertEvent(db, { sections: [{ seats: 12 }], waitingRoom: true })
await db.sql(`update events set slug = 'demo' where id = $1`, [event.id])

test.each(['example', 'exampleWithoutSdk'])(
  'clients/sdk/%s.ts takes a fan from the line to the codes of two tickets',
  async (name) => {
    const { stdout } = await promisify(execFile)(process.execPath, [`clients/sdk/${name}.ts`], {
      env: { PATH: process.env.PATH, URL: url },
    })
    expect(stdout).toMatch(/ADMITTED/)
    if (name === 'exampleWithoutSdk') expect(stdout).toMatch(/"snapshot":\{"statuses":"\w+/)
    expect(stdout).toMatch(/CONFIRMED \[\s+'FG1:[^']+',\s+'FG1:[^']+'\s+\]/)
  },
)
