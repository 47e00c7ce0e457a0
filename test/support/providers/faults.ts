/** How one request goes wrong. `before` and `after` say whether the provider had done its work by then. */
export type Fault =
  | 'lost before'
  | 'lost after'
  | 'error before'
  | 'error after'
  /** The provider's limit refuses the request. */
  | 'limit'
  /** The provider does its work and never answers. */
  | 'silent'

/** The requests that a fault is for: `POST /v1/refunds`. */
type Requests = RegExp

export interface Faults {
  /** The next requests that match go wrong in turn, one for each fault. */
  next(requests: Requests, ...faults: Fault[]): void
  /** Every request that matches goes wrong, until `heal`. */
  always(requests: Requests, fault: Fault): void
  /**
   * Requests that match wait until `release`: `before` they have an effect, or `after` it. `arrived`: the first one is there.
   */
  hold(requests: Requests, when: 'before' | 'after'): { arrived: Promise<void>; release(): void }
  heal(): void
}

export interface FaultList extends Faults {
  of(request: string): Fault | null
  /** Resolves when the request may go on. */
  wait(request: string, when: 'before' | 'after'): Promise<void>
}

export function createFaults(): FaultList {
  let once: { requests: Requests; fault: Fault }[] = []
  let standing: { requests: Requests; fault: Fault }[] = []
  const gates = new Set<{ requests: Requests; when: string; arrive(): void; open: Promise<void> }>()
  return {
    next(requests, ...faults) {
      once.push(...faults.map((fault) => ({ requests, fault })))
    },
    always(requests, fault) {
      standing.push({ requests, fault })
    },
    hold(requests, when) {
      const arrived = Promise.withResolvers<void>()
      const open = Promise.withResolvers<void>()
      const gate = { requests, when, arrive: arrived.resolve, open: open.promise }
      gates.add(gate)
      return {
        arrived: arrived.promise,
        release() {
          gates.delete(gate)
          open.resolve()
        },
      }
    },
    heal() {
      once = []
      standing = []
    },
    of(request) {
      const index = once.findIndex(({ requests }) => requests.test(request))
      if (index >= 0) return once.splice(index, 1)[0]?.fault ?? null
      return standing.find(({ requests }) => requests.test(request))?.fault ?? null
    },
    async wait(request, when) {
      for (const gate of gates) {
        if (gate.when !== when || !gate.requests.test(request)) continue
        gate.arrive()
        await gate.open
      }
    },
  }
}
