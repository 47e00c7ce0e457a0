import { WebSocket } from 'ws'
import { type SeatStatus, STATUS_OF_NAME, unpackStatuses } from '../../clients/sdk/statuses.ts'
import { followBySse } from './sse.ts'

const SECTION = `subscription ($eventId: ID!, $sectionId: ID!) { seatSection(eventId: $eventId, sectionId: $sectionId) {
  version previousVersion asOf available snapshot { version asOf available statuses } changes { index status } } }`

interface SectionUpdate {
  version: number
  previousVersion: number | null
  asOf: string
  available: number
  snapshot: { version: number; asOf: string; available: number; statuses: string | null } | null
  changes: { index: number; status: keyof typeof STATUS_OF_NAME }[]
}

interface Section {
  readonly eventId: string
  readonly sectionId: string
  readonly seats: number
}

/** A client's state of a section. */
interface Knowledge {
  /** The last version received, across all connections. */
  readonly version: number
  readonly available: number
  /** Null for general admission, and before the first snapshot. */
  readonly statuses: Uint8Array | null
  readonly connections: number
  readonly updates: number
  /** The age of each update on arrival, in milliseconds. */
  readonly ages: readonly number[]
  /** Breaches of the contract: a version that went back, a missing change, an error. */
  readonly faults: readonly string[]
}

export interface MapSubscriber extends Knowledge {
  /** Breaks the connection. The client reconnects by itself, to another server where there is one. */
  drop(): void
  leave(): void
}

/** A client state that applies updates as the contract says. `isFirst`: the first update of a connection. */
function newKnowledge(seats: number) {
  const faults: string[] = []
  const ages: number[] = []
  const statuses = null as Uint8Array | null
  const known = { version: 0, available: -1, statuses, connections: 0, updates: 0, ages, faults }

  function take(update: SectionUpdate, isFirst: boolean) {
    const { version, previousVersion, asOf, available, snapshot, changes } = update
    known.updates++
    ages.push(Date.now() - Date.parse(asOf))
    if (version < known.version) faults.push(`version ${known.version} went back to ${version}`)
    if (snapshot) {
      if (snapshot.version !== version || snapshot.available !== available || snapshot.asOf !== asOf)
        faults.push(`version ${version} came with the snapshot of ${snapshot.version}`)
      known.statuses = snapshot.statuses === null ? null : unpackStatuses(snapshot.statuses, seats)
    } else if (isFirst) faults.push('no snapshot at first')
    else if (previousVersion !== known.version)
      faults.push(`at ${known.version} it received the changes from ${previousVersion} to ${version}`)
    for (const { index, status } of changes)
      (known.statuses as Uint8Array)[index] = STATUS_OF_NAME[status] as SeatStatus
    Object.assign(known, { version, available })
  }

  return { known, take }
}

/** Follows one section by server-sent events, over one connection. */
export async function followSectionBySse(
  { eventId, sectionId, seats }: Section,
  server: string,
): Promise<Knowledge & { leave(): Promise<void> }> {
  const { known, take } = newKnowledge(seats)
  known.connections++
  const { stop } = await followBySse(
    server,
    SECTION,
    { eventId, sectionId },
    {
      next({ data, errors }) {
        if (errors) known.faults.push(JSON.stringify(errors))
        else take(data.seatSection, known.updates === 0)
      },
    },
  )
  return Object.assign(known, { leave: stop })
}

/**
 * Follows one section as the contract says, over its own socket, and reconnects after each loss.
 *
 * @param servers returns the addresses of the running servers, at each connection
 */
export function followSection(
  section: Section,
  servers: () => readonly string[],
  random: () => number,
): MapSubscriber {
  const { known, take } = newKnowledge(section.seats)
  let socket: WebSocket | undefined
  let lastServer: string | undefined
  let hasLeft = false

  function connect() {
    const living = servers()
    const others = living.filter((server) => server !== lastServer)
    const choice = others.length > 0 && lastServer ? others : living
    const server = choice[Math.floor(random() * choice.length)] as string
    lastServer = server
    const connection = new WebSocket(`${server.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    socket = connection
    let isFirst = true
    const say = (message: object) => connection.send(JSON.stringify(message))
    connection.on('open', () => say({ type: 'connection_init' }))
    connection.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data))
      if (type === 'connection_ack') {
        known.connections++
        const { eventId, sectionId } = section
        say({ id: '1', type: 'subscribe', payload: { query: SECTION, variables: { eventId, sectionId } } })
      } else if (type === 'next' && payload.data && !payload.errors) {
        take(payload.data.seatSection, isFirst)
        isFirst = false
      } else if (type !== 'ping') known.faults.push(`${type}: ${JSON.stringify(payload)}`)
    })
    // A killed server refuses connections until the list leaves it out.
    connection.on('error', () => {})
    connection.on('close', () => {
      if (!hasLeft) setTimeout(connect, 100 * random())
    })
  }

  connect()
  return Object.assign(known, {
    drop: () => socket?.terminate(),
    leave() {
      hasLeft = true
      socket?.terminate()
    },
  })
}
