import { WebSocket } from 'ws'
import { type SeatStatus, STATUS_OF_NAME, unpackStatuses } from '../../clients/sdk/statuses.ts'

const SECTION = `subscription ($eventId: ID!, $sectionId: ID!) { seatSection(eventId: $eventId, sectionId: $sectionId) {
  version previousVersion available snapshot { version available statuses } changes { index status } } }`

interface SectionUpdate {
  version: number
  previousVersion: number | null
  available: number
  snapshot: { version: number; available: number; statuses: string | null } | null
  changes: { index: number; status: keyof typeof STATUS_OF_NAME }[]
}

export interface MapSubscriber {
  /** What it has been told of the section, across all of its connections. */
  readonly version: number
  readonly available: number
  /** Null for general admission, and before the first snapshot. */
  readonly statuses: Uint8Array | null
  readonly connections: number
  readonly updates: number
  /** Everything that the contract rules out: a version that went back, a change that was skipped unseen, an error. */
  readonly faults: readonly string[]
  /** The connection breaks without a word. It comes back by itself, to another server where there is one. */
  drop(): void
  leave(): void
}

/**
 * Somebody who follows one section as the contract says, over a socket of its own, and comes back whenever it is lost.
 *
 * @param servers addresses of the servers that live, asked for at each connection
 */
export function followSection(
  section: { eventId: string; sectionId: string; seats: number },
  servers: () => readonly string[],
  random: () => number,
): MapSubscriber {
  const faults: string[] = []
  let socket: WebSocket | undefined
  let lastServer: string | undefined
  let hasLeft = false
  const state = { version: 0, available: -1, statuses: null as Uint8Array | null, connections: 0, updates: 0 }

  function take({ version, previousVersion, available, snapshot, changes }: SectionUpdate, isFirst: boolean) {
    state.updates++
    if (version < state.version) faults.push(`version ${state.version} went back to ${version}`)
    if (snapshot) {
      if (snapshot.version !== version || snapshot.available !== available)
        faults.push(`version ${version} came with the snapshot of ${snapshot.version}`)
      state.statuses = snapshot.statuses === null ? null : unpackStatuses(snapshot.statuses, section.seats)
    } else if (isFirst) faults.push('no snapshot at first')
    else if (previousVersion !== state.version)
      faults.push(`at ${state.version} it was told what leads from ${previousVersion} to ${version}`)
    for (const { index, status } of changes)
      (state.statuses as Uint8Array)[index] = STATUS_OF_NAME[status] as SeatStatus
    Object.assign(state, { version, available })
  }

  function connect() {
    const known = servers()
    const others = known.filter((server) => server !== lastServer)
    const choice = others.length > 0 && lastServer ? others : known
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
        state.connections++
        const { eventId, sectionId } = section
        say({ id: '1', type: 'subscribe', payload: { query: SECTION, variables: { eventId, sectionId } } })
      } else if (type === 'next' && payload.data && !payload.errors) {
        take(payload.data.seatSection, isFirst)
        isFirst = false
      } else if (type !== 'ping') faults.push(`${type}: ${JSON.stringify(payload)}`)
    })
    // A server that was killed refuses until it is known to be gone.
    connection.on('error', () => {})
    connection.on('close', () => {
      if (!hasLeft) setTimeout(connect, 100 * random())
    })
  }

  connect()
  return {
    get version() {
      return state.version
    },
    get available() {
      return state.available
    },
    get statuses() {
      return state.statuses
    },
    get connections() {
      return state.connections
    },
    get updates() {
      return state.updates
    },
    faults,
    drop: () => socket?.terminate(),
    leave() {
      hasLeft = true
      socket?.terminate()
    },
  }
}
