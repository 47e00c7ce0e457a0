// The same as example.ts by fetch alone, for clients in other languages. While npm start runs:
// npx node clients/sdk/examples/exampleWithoutSdk.ts
const url = process.env.URL ?? 'http://localhost:4000'
const headers: Record<string, string> = {
  'content-type': 'application/json',
  'device-id': 'a1b2c3d4e5f60718293a4b5c6d7e8f90',
}
const post = (path: string, body: object, more: object = {}) =>
  fetch(url + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })

async function graphql(query: string, variables: object = {}) {
  const { data, errors } = await (await post('/graphql', { query, variables })).json()
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1_000 * seconds))

const { token } = await (await post('/dev/token', { account: 'ben', emailVerified: true })).json()
headers.authorization = `Bearer ${token}`
const { eventBySlug: event } = await graphql('{ eventBySlug(slug: "demo") { id sections { id } } }')

// The line. Each answer has the newest token of the place.
const PLACE = '__typename state queueToken pollAfterSeconds admission { token }'
let { joinQueue: place } = await graphql(
  `mutation ($input: JoinQueueInput!) {
    joinQueue(input: $input) { ... on QueuePosition { ${PLACE} } ... on Refusal { __typename message } }
  }`,
  { input: { eventId: event.id } },
)
if (place.__typename !== 'QueuePosition') throw new Error(place.message)
while (['PRE_QUEUE', 'WAITING'].includes(place.state)) {
  await pause(place.pollAfterSeconds)
  const query = `query ($token: String!) { queuePosition(queueToken: $token) { ${PLACE} } }`
  place = (await graphql(query, { token: place.queueToken })).queuePosition
}
console.log(place.state)
if (place.admission) headers['admission-token'] = place.admission.token

// The map of a section as server-sent events: a snapshot, then changes. This example stops after the first one.
const map = await post(
  '/graphql',
  {
    query: `subscription ($event: ID!, $section: ID!) {
      seatSection(eventId: $event, sectionId: $section) {
        version available snapshot { statuses } previousVersion changes { index status }
      }
    }`,
    variables: { event: event.id, section: event.sections[0].id },
  },
  { accept: 'text/event-stream' },
)
let text = ''
for await (const bytes of map.body as AsyncIterable<Uint8Array>) {
  text += new TextDecoder().decode(bytes)
  const [, data] = /^data: (.+)$/m.exec(text) ?? []
  if (!data) continue
  console.log(data)
  break
}

// Repeat a call whose answer is lost with the same key: nothing happens twice.
const { hold } = await graphql(
  `mutation ($input: HoldInput!) {
    hold(input: $input) { __typename ... on Hold { id expiresAt } ... on Refusal { message retryAfterSeconds } }
  }`,
  {
    input: {
      eventId: event.id,
      selection: { bestAvailable: { quantity: 2 } },
      idempotencyKey: crypto.randomUUID(),
    },
  },
)
if (hold.__typename !== 'Hold') throw new Error(hold.message)
const { checkout } = await graphql(
  `mutation ($input: CheckoutInput!) {
    checkout(input: $input) { __typename ... on Order { id state } ... on Refusal { message retryAfterSeconds } }
  }`,
  { input: { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: crypto.randomUUID() } },
)
if (checkout.__typename !== 'Order') throw new Error(checkout.message)

// The tickets have their codes once the money is captured.
for (;;) {
  const query = 'query ($id: ID!) { order(id: $id) { state tickets { barcode } } }'
  const { order } = await graphql(query, { id: checkout.id })
  const codes: (string | null)[] = order.tickets.map((ticket: { barcode: string | null }) => ticket.barcode)
  if (codes.length > 0 && !codes.includes(null)) {
    console.log(order.state, codes)
    break
  }
  await pause(1)
}
