import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const LOG = new URL('../src/log.ts', import.meta.url).href

/** Starts a process that logs 100 lines after its first input, and exits at once. */
function startLogger(words: string) {
  const script = `
    const { createLog } = await import(${JSON.stringify(LOG)})
    const log = createLog('info')
    process.stdin.once('data', () => {
      for (let i = 0; i < 100; i++) log.info(${words})
      process.exit(7)
    })
    process.stderr.write('ready')`
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' })
}

test('a process ends even if its log has no reader any more', async () => {
  const child = startLogger("'x'.repeat(2_000)")
  await once(child.stderr, 'data')
  child.stdout.destroy()
  child.stdin.write('go')
  expect((await once(child, 'exit'))[0]).toBe(7)
})

test('the last lines of the log are written before the process ends, without secrets', async () => {
  const child = startLogger("{ i, token: 'secret', order: { paymentMethod: 'pm_1' } }, 'said'")
  await once(child.stderr, 'data')
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  child.stdin.write('go')
  await once(child, 'close')
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ i }) => i)).toEqual(Array.from({ length: 100 }, (_, i) => i))
  expect(lines[99]).toMatchObject({ msg: 'said', token: '[cut]', order: { paymentMethod: '[cut]' } })
})

test('an error keeps its type, message, stack, code and causes, and loses what a library attached to it', async () => {
  const child = startLogger(`{ err: Object.assign(new RangeError('at postgresql://u:secret1@h/d', { cause:
    new AggregateError([Object.assign(new Error('to ana@example.com'), { code: 'ENOTFOUND' }),
      new Error('550 <ana@intranet> and jörg@exämple.de')]) }),
    { code: 'WRONGPASS', command: { args: ['secret2'] }, source: { body: 'secret3' }, rejected: ['secret4'] }) }`)
  await once(child.stderr, 'data')
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  child.stdin.write('go')
  await once(child, 'close')
  expect(JSON.parse(output.trim().split('\n')[0] as string).err).toMatchObject({
    type: 'RangeError',
    message: 'at postgresql://[removed]@h/d',
    stack: expect.stringMatching(/^RangeError: .*\n +at /),
    code: 'WRONGPASS',
    cause: {
      errors: [{ message: 'to [removed]', code: 'ENOTFOUND' }, { message: '550 <[removed]> and [removed]' }],
    },
  })
  expect(/secret\d|ana@/.exec(output)).toBeNull()
})
