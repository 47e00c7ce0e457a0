import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claimInstance } from '../../embedded/instance.ts'
import { isAlive, stopProcess } from '../../embedded/processes.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder('instance')
const script = join(folder, 'start.ts')
writeFileSync(script, 'setInterval(() => {}, 1000)')

function runScript(): number {
  const child = spawn(process.execPath, [script], { stdio: 'ignore' })
  return child.pid as number
}

test('a second start on the same folder is refused and reports the running process', async () => {
  const other = runScript()
  writeFileSync(join(folder, 'start.pid'), `${other} http://localhost:4000`)
  await expect(claimInstance(folder, 'http://localhost:4991')).rejects.toThrow(
    `Fairgate is already running on ${folder} (process ${other}): http://localhost:4000.`,
  )
  await stopProcess(other, 'SIGKILL', 0)
})

test('after a killed start, the next one stops its children and takes over the folder', async () => {
  const child = runScript()
  const killed = await claimInstance(folder, 'http://localhost:4991')
  killed.record(child, script)
  writeFileSync(join(folder, 'start.pid'), '999999999')
  const instance = await claimInstance(folder, 'http://localhost:4991')
  expect(isAlive(child)).toBe(false)
  expect(readFileSync(join(folder, 'start.pid'), 'utf8')).toBe(`${process.pid} http://localhost:4991`)
  instance.release()
  expect(existsSync(join(folder, 'start.pid'))).toBe(false)
})

test('a recorded pid that belongs to another program by now is not stopped', async () => {
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' })
  const killed = await claimInstance(folder, 'http://localhost:4991')
  killed.record(stranger.pid as number, script)
  // A start.pid with another program's pid does not lock the folder either.
  writeFileSync(join(folder, 'start.pid'), String(stranger.pid))
  const instance = await claimInstance(folder, 'http://localhost:4991')
  expect(isAlive(stranger.pid as number)).toBe(true)
  instance.release()
  stranger.kill('SIGKILL')
})
