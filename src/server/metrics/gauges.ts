import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>

/** Numbers that are told anew whenever somebody reads the metrics. */
export interface Gauges {
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** One number for each set of labels that there is now. */
  gaugeOf(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Promise<Iterable<readonly [Labels, number]>>,
  ): void
  /** Everything of the registry, in Prometheus's text format. */
  read(): Promise<{ contentType: string; text: string }>
}

export function createGauges(registry: Registry, log: Logger): Gauges {
  const registers = [registry]

  function leaveOut(name: string, error: unknown) {
    log.warn({ err: error, metric: name }, 'a number of the metrics cannot be read')
  }

  return {
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          // A source that is away leaves its number out; the others are told all the same.
          try {
            this.set(await read())
          } catch (error) {
            this.remove()
            leaveOut(name, error)
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
            leaveOut(name, error)
            return []
          })
          if (labelNames.length === 0) this.remove()
          else this.reset()
          for (const [labels, number] of numbers) this.set(labels, number)
        },
      })
    },
    async read() {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
