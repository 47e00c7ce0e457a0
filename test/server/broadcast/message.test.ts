import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { type Delivery, deliver, isReady } from '../../../src/server/broadcast/delivery.ts'
import { createMessage, quotedId } from '../../../src/server/broadcast/message.ts'

/** A socket that keeps what it is sent, as one does whose system's buffers are full, or hands it on at once. */
function socket(takesAll: boolean) {
  const frames: Buffer[] = []
  const state = { OPEN: 1, readyState: 1, bufferedAmount: 0 }
  const sendFrame = ([frame]: [Buffer]) => {
    frames.push(takesAll ? Buffer.from(frame) : frame)
    if (!takesAll) state.bufferedAmount += frame.length
  }
  return {
    ...{ state, frames },
    delivery: (id: string): Delivery => ({
      socket: Object.assign(state, { _sender: { sendFrame } }) as unknown as WebSocket,
      ...{ id: quotedId(id), behindSince: undefined, giveUp() {} },
    }),
  }
}

/** The id in a frame of this size, whose header is four bytes. */
const idIn = (frame: Buffer | undefined) => JSON.parse(String(frame?.subarray(4))).id

test("another socket's message does not overwrite what a slow socket has not sent yet", () => {
  const message = createMessage(Buffer.from(`"${'x'.repeat(200)}"}`))
  const sockets = [true, false, true, false, true].map(socket)
  const ids = ['first', 'other', 'third', '4th', 'fifth']
  sockets.forEach(({ delivery }, i) => {
    expect(deliver(message, delivery(ids[i] as string))).toBe(true)
  })
  expect(sockets.map(({ frames }) => idIn(frames[0]))).toEqual(ids)
})

test('a socket gets no further message until it has sent all of the last one', () => {
  const message = createMessage(Buffer.from(`"${'x'.repeat(200)}"}`))
  const { state, frames, delivery } = socket(false)
  const [own, another] = [delivery('1'), delivery('2')]
  expect([own, own, another].map((one) => deliver(message, one))).toEqual([true, false, false])
  expect([isReady(own), frames.length]).toEqual([false, 1])
  state.bufferedAmount = 0
  expect([isReady(own), deliver(message, another)]).toEqual([true, true])
  expect(frames.map(idIn)).toEqual(['1', '2'])
})
