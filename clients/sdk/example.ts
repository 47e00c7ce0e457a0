// From the line to the ticket. While npm start runs: npx node clients/sdk/example.ts
import { createFairgate, memorySession } from './index.ts'

const url = process.env.URL ?? 'http://localhost:4000'
const answer = await fetch(`${url}/dev/token`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ account: 'ana', emailVerified: true }),
})

const session = memorySession('this-device')
session.accountToken = (await answer.json()).token
const fairgate = createFairgate({ url, session })
const { sales, waitingRoom, seatMap, holds, checkout } = fairgate

const event = await sales.page('demo')
if (!event?.sections[0]) throw new Error('no such event')
const joined = await waitingRoom.join(event.id)
if (joined.__typename !== 'QueuePosition') throw new Error(joined.message)
await new Promise<void>((admitted, failed) => {
  const stop = waitingRoom.watch(({ state, position }) => {
    console.log(state, position)
    if (state !== 'ADMITTED') return
    stop()
    admitted()
  }, failed)
})

const section = event.sections[0]
const [seats, { statuses }] = [await seatMap.layout(event.id, section), await seatMap.read(event.id, section)]
const free = seats.filter(({ index }) => statuses?.[index] === 0)
const hold = await holds.hold(event.id, { seats: free.slice(0, 2).map(({ id }) => id) })
if (hold.__typename !== 'Hold') throw new Error(hold.message)
const paid = await checkout.pay({ holdId: hold.id, paymentMethod: 'pm_card_visa' })
if (paid.__typename !== 'Order') throw new Error('no order')
// The tickets have their codes once the money is captured.
const codes = await new Promise<(string | null)[]>((captured, failed) => {
  const stop = checkout.watch(
    paid.id,
    ({ tickets }) => {
      if (tickets.some(({ barcode }) => barcode === null)) return
      stop()
      captured(tickets.map(({ barcode }) => barcode))
    },
    failed,
  )
})
console.log(paid.state, codes)
fairgate.close()
