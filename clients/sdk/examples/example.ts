// Buys two seats side by side. While npm start runs: npx node clients/sdk/examples/example.ts
import { createFairgate, memorySession, sandboxToken } from '../index.ts'

const url = process.env.URL ?? 'http://localhost:4000'
const session = memorySession()
session.accountToken = await sandboxToken(url, 'ana')
const fairgate = createFairgate({ url, session })
const { sales, waitingRoom, holds, checkout } = fairgate

const event = await sales.page('demo')
if (!event) throw new Error('There is no such event.')
const place = await waitingRoom.join(event.id)
if (place.__typename !== 'QueuePosition') throw new Error(place.message)
const { state } = await waitingRoom.wait((now) => console.log(now.state, now.position))
const hold = await holds.hold(event.id, { bestAvailable: { quantity: 2 } })
if (hold.__typename !== 'Hold') throw new Error(hold.message)
const order = await checkout.pay({ holdId: hold.id, paymentMethod: 'pm_card_visa' })
if (order.__typename !== 'Order') throw new Error(order.__typename)
const tickets = await checkout.tickets(order.id)
console.log(state, order.state, ...tickets.map(({ barcode }) => barcode))
fairgate.close()
