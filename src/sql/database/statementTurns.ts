import { createFairSlots } from '../../async/fairSlots.ts'

/**
 * Whose statement is sent next, and on which connection. Statements that wait are sent in rotation of their events. A statement of an
 * event that has no other one under way takes a connection of its own kind, the express: so it waits for no statement of a crowd,
 * whose connections are kept busy without a pause (`bench/forty-events.ts`).
 */
export interface StatementTurns {
  run<T>(eventId: string, send: (isExpress: boolean) => Promise<T>): Promise<T>
}

/** Statements under way on one connection: with half as many, it is idle while this process reads answers (`bench/hold.ts`). */
const DEPTH = 20
/** With fewer on each connection a statement waits a moment at most, and needs no express. */
const CALM_DEPTH = 2
/** Beyond it the express would be no faster. */
const EXPRESS_DEPTH = 4

/** @param onWait receives how long each statement waited for its turn, in milliseconds, where it had to */
export function createStatementTurns(
  pipelines: number,
  onWait: (ms: number) => void = () => {},
): StatementTurns {
  const slots = createFairSlots(pipelines * DEPTH)
  /** By event, with those that wait. */
  const underWay = new Map<string, number>()
  let shared = 0
  let express = 0

  async function sendShared<T>(eventId: string, send: (isExpress: boolean) => Promise<T>): Promise<T> {
    shared++
    try {
      const startedAt = performance.now()
      const turn = slots.take(eventId)
      if (turn) {
        await turn
        onWait(performance.now() - startedAt)
      }
      try {
        return await send(false)
      } finally {
        slots.give()
      }
    } finally {
      shared--
    }
  }

  async function sendExpress<T>(send: (isExpress: boolean) => Promise<T>): Promise<T> {
    express++
    try {
      return await send(true)
    } finally {
      express--
    }
  }

  return {
    async run(eventId, send) {
      const others = underWay.get(eventId) ?? 0
      underWay.set(eventId, others + 1)
      try {
        const isExpress = others === 0 && shared >= pipelines * CALM_DEPTH && express < EXPRESS_DEPTH
        return await (isExpress ? sendExpress(send) : sendShared(eventId, send))
      } finally {
        const left = (underWay.get(eventId) ?? 0) - 1
        if (left > 0) underWay.set(eventId, left)
        else underWay.delete(eventId)
      }
    },
  }
}
