import { compare } from './compare.ts'
import { load, operation } from './load.ts'
import { type Served, startStock } from './processes.ts'

export interface AgainstHello {
  readonly title: string
  readonly api: Served
  readonly ours: {
    readonly name: string
    /** The next request to `api`, see `operation`. */
    next(): Buffer
    /** The text that every answer must contain. */
    readonly expect: string
  }
}

const ANSWERS = 20_000

/** Compares answers per second of processor time with a stock Yoga that answers `{ hello }`. The target is four times as many. */
export async function compareToHello({ title, api, ours }: AgainstHello): Promise<void> {
  const stock = await startStock('hello')
  const hello = operation('{ hello }', {})
  const side = (name: string, server: Served, expect: string, next: () => Buffer) => ({
    name,
    run: async () =>
      (await load({ server, answers: ANSWERS, expect, next, keepsCoreAwake: true })).perCpuSecond,
  })
  await compare({
    title,
    unit: "answers a second of the server's processor time",
    atLeast: 4,
    limit: side('stock Yoga, { hello }', stock, '{"hello":"world"}', () => hello),
    ours: side(ours.name, api, ours.expect, ours.next),
  })
  await stock.stop()
}
