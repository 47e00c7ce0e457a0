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
  /** All metrics of the registry, in Prometheus's text format. */
  read(): Promise<{ contentType: string; text: string }>
}

export function createGauges(registry: Registry, log: Logger): Gauges {
  const registers = [registry]

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
    async read() {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
