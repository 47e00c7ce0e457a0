import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>

/** Gauges that are read whenever the metrics are. */
export interface Gauges {
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** One number for each set of labels that exists now. */
  gaugeOf(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Promise<Iterable<readonly [Labels, number]>>,
  ): void
  /**
   * All metrics of the registry, in Prometheus's text format. They are rendered at most once a second: a call within that
   * second waits, and shares the next rendering with all others that wait.
   */
  read(): Promise<Rendering>
}

interface Rendering {
  readonly contentType: string
  readonly text: string
}

/** A rendering takes up to 70 ms of the process. */
const RENDERING_EACH_MS = 1_000

export function createGauges(registry: Registry, log: Logger): Gauges {
  const registers = [registry]
  let upcoming: Promise<Rendering> | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function render(): Promise<Rendering> {
    await last
    // Callers from now on share the next rendering: this one may miss what they wait for.
    upcoming = undefined
    const rest = sleep(RENDERING_EACH_MS, undefined, { ref: false })
    const rendering = registry.metrics()
    last = Promise.allSettled([rest, rendering])
    return { contentType: registry.contentType, text: await rendering }
  }

  function reportFailure(name: string, error: unknown) {
    log.warn({ err: error, metric: name }, 'a metric cannot be read')
  }

  return {
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          // A source that fails leaves out its own number only.
          try {
            this.set(await read())
          } catch (error) {
            this.remove()
            reportFailure(name, error)
          }
        },
      })
    },
    gaugeOf(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          const numbers = await read().catch((error) => {
            reportFailure(name, error)
            return []
          })
          if (labelNames.length === 0) this.remove()
          else this.reset()
          for (const [labels, number] of numbers) this.set(labels, number)
        },
      })
    },
    read() {
      upcoming ??= render()
      return upcoming
    },
  }
}
