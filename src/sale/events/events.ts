import { createHash, randomBytes } from 'node:crypto'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database/database.ts'
import { changeEventDetails } from '../../sql/events/eventDetails.ts'
import { changeEventOwners } from '../../sql/events/eventOwners.ts'
import { searchEvents } from '../../sql/events/eventSearch.ts'
import { insertEvent } from '../../sql/events/events.ts'
import { changeSale, type SaleChange } from '../../sql/events/saleChange.ts'
import { writeAudit } from '../../sql/ops/audit.ts'
import type { EventRow } from '../../sql/plans.ts'
import { deleteRoom, insertRoom, moveOpening } from '../../sql/room/rooms.ts'
import type { Account } from '../caller.ts'
import type { Catalogue, CatalogueEvent } from '../catalogue/catalogue.ts'
import { changeableEvent } from '../catalogue/ownership.ts'
import { badInput } from '../faults.ts'
import { newEventId } from '../ids.ts'
import { createInputFaults, type InputFaults } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import {
  noCursor,
  type Page,
  type PageRequest,
  readCursor,
  readInstant,
  rowsToRead,
  toPage,
} from '../page.ts'
import type { Sales } from '../sales/sales.ts'
import type { SaleView } from '../saleView.ts'
import type { RoomView, WaitingRoom } from '../waitingRoom/waitingRoom.ts'
import { type EventUpdate, readDetailsChange } from './eventDetails.ts'
import type { EventInput } from './eventInput.ts'
import type { EventThread } from './eventThread.ts'
import { type PriceInput, readPrices } from './priceInput.ts'
import { createPriceLevels, type PriceLevelView } from './priceLevels.ts'
import { checkTimes, readSaleChange } from './saleInput.ts'

export type SaleUpdate = { [Field in keyof SaleChange]?: SaleChange[Field] | null } & {
  eventId: string
  prices?: readonly PriceInput[] | null
}

export interface AdmissionUpdate {
  eventId: string
  /** Places called a second. */
  rate?: number | null
  paused?: boolean | null
}

export interface BeaconReveal {
  eventId: string
  beacon: string
}

export interface OwnerChange {
  eventId: string
  add: readonly string[]
  remove: readonly string[]
}

export interface EventOwners {
  readonly eventId: string
  /** Account ids. */
  readonly owners: readonly string[]
}

export interface SearchRequest extends PageRequest {
  search?: string | null
  startsAfter?: Date | null
  near?: { latitude: number; longitude: number; km: number } | null
}

/** To every method with an event's id, an event that the account may not change does not exist: ownership.ts. */
export interface Events {
  /**
   * Creates an event with its plan, prices, sale and waiting room: all of it or nothing. Also makes the room's
   * seed, so that its commitment is public before the first fan joins. The account becomes the event's owner.
   *
   * Throws BAD_USER_INPUT with every fault at its path, also where another event has the slug.
   */
  create(account: Account, input: EventInput): Promise<CatalogueEvent>
  /**
   * Changes name, performers, venue and appearance, where they are given, and returns the event. Throws BAD_USER_INPUT as `create`
   * does. The other processes show the change within two seconds.
   */
  update(account: Account, input: EventUpdate): Promise<CatalogueEvent>
  /**
   * Changes the fields that are set. Throws BAD_USER_INPUT where the times would contradict each other or the
   * draw.
   */
  updateSale(account: Account, input: SaleUpdate): Promise<SaleView>
  /** Sets the rate at which the room calls places, or pauses the room. */
  setAdmission(account: Account, input: AdmissionUpdate): Promise<RoomView>
  /**
   * Stores the public randomness that the draw waits for, once. Throws BAD_USER_INPUT where the sale has no beacon
   * source, where the line is not frozen yet, and where another value is stored.
   */
  revealBeacon(account: Account, input: BeaconReveal): Promise<RoomView>
  /**
   * Adds and removes owners, and returns all of them. Throws BAD_USER_INPUT where no owner would remain, or more than
   * an event may have.
   */
  changeOwners(account: Account, input: OwnerChange): Promise<EventOwners>
  /**
   * Searches name, performers and venue. Coming events are first, soonest first, or best match first where `search` has words; past
   * events follow.
   */
  search(request: SearchRequest): Promise<Page<EventRow>>
  /** Returns the price levels by number, at most a second old; empty where there is no such event. */
  priceLevels(eventId: string): Promise<PriceLevelView[]>
}

export interface EventsDeps {
  db: Database
  roomDb: Database
  catalogue: Catalogue
  eventThread: Pick<EventThread, 'readEvent'>
  publish: Publish
  sales: Pick<Sales, 'refresh'>
  waitingRoom: Pick<WaitingRoom, 'setAdmission' | 'beaconFault' | 'revealBeacon'>
}

/** More than a promoter, its partners and the house have staff for one event. Bounds the table and the answer. */
const MOST_OWNERS = 50
/** In characters: ten words of a hundred. The database cuts and folds the whole text, and compares no more than these. */
const LONGEST_SEARCH = 1_000
/** Excludes characters that look alike: each fan types the beacon into a check of their own. */
const BEACON = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/

export function createEvents(deps: EventsDeps): Events {
  const { db, roomDb, catalogue, eventThread, publish, sales, waitingRoom } = deps
  const priceLevels = createPriceLevels({ db, catalogue })

  /**
   * Inserts the room, then the event: an event that can be seen is complete. The two may be in different
   * databases. A failure in between leaves a room behind, which is harmless: its event's id never becomes public.
   */
  async function insertWithRoom(account: Account, input: EventInput) {
    const id = newEventId()
    const read = await eventThread.readEvent(input, id)
    if ('faults' in read) throw badInput(...read.faults)
    const { rows, room } = read
    const seed = randomBytes(32)
    const commitment = createHash('sha256').update(seed).digest('hex')
    await insertRoom(roomDb, {
      eventId: id,
      opensAt: rows.sale.opensAt,
      seed,
      commitment,
      beaconSource: room.beaconSource,
      rateCeiling: room.admissionRate,
    })
    if (await insertEvent(db, account.id, rows)) return id
    await deleteRoom(roomDb, id)
    throw badInput({ path: ['input', 'slug'], message: 'is the slug of another event' })
  }

  async function requireChangeable(account: Account, eventId: string): Promise<CatalogueEvent> {
    const event = await changeableEvent({ db, catalogue }, account, eventId)
    if (!event) throw badInput({ path: ['input', 'eventId'], message: 'there is no such event' })
    return event
  }

  return {
    async create(account, input) {
      const id = await insertWithRoom(account, input)
      return (await catalogue.event(id)) as CatalogueEvent
    },

    async update(account, input) {
      const { id } = await requireChangeable(account, input.eventId)
      await changeEventDetails(db, account.id, id, readDetailsChange(input))
      await catalogue.refreshDetails(id)
      return (await catalogue.event(id)) as CatalogueEvent
    },

    async updateSale(account, input) {
      const { id } = await requireChangeable(account, input.eventId)
      const faults = createInputFaults()
      const change = readSaleChange(input, faults)
      const prices = readPriceChanges(input.prices ?? [], await priceLevels.of(id), faults)
      faults.throwAny()
      await changeSale(db, account.id, id, change, prices, async (times) => {
        checkTimes(times, ['input'], faults)
        faults.throwAny()
        if (!change.opensAt && !change.preQueueOpensAt) return
        // The room's row decides between this change and the freeze, so it changes first. If the change of the
        // sale's row then fails, the two rows differ: no process freezes the line, and opening.ts corrects the room.
        if (await moveOpening(roomDb, id, times.opensAt)) return
        faults.add(
          ['input'],
          'the line is frozen for the draw: opensAt and preQueueOpensAt cannot move any more',
        )
        faults.throwAny()
      })
      priceLevels.forget(id)
      publish(channels.sale(id), '')
      return (await sales.refresh(id)) as SaleView
    },

    async setAdmission(account, { eventId, rate, paused }) {
      const { id } = await requireChangeable(account, eventId)
      const faults = createInputFaults()
      const change = {
        ...(rate != null && { rate: faults.number(['input', 'rate'], rate, RANGES.admissionRate) }),
        ...(paused != null && { paused }),
      }
      faults.throwAny()
      // Written first, since the room may be in another database: no change lacks its audit row.
      const entry = {
        eventId: id,
        accountId: account.id,
        action: 'setAdmission',
        subject: id,
        detail: change,
      }
      await writeAudit(db.pool, entry)
      const room = await waitingRoom.setAdmission(id, change)
      if (!room) throw badInput({ path: ['input', 'eventId'], message: 'this event has no waiting room' })
      return room
    },

    async revealBeacon(account, { eventId, beacon }) {
      const { id } = await requireChangeable(account, eventId)
      const fault = BEACON.test(beacon)
        ? await waitingRoom.beaconFault(id, beacon)
        : 'must be 1 to 256 printable ASCII characters, with no space at either end'
      if (fault) throw badInput({ path: ['input', 'beacon'], message: fault })
      // Written first, as in `setAdmission`.
      const entry = {
        eventId: id,
        accountId: account.id,
        action: 'revealBeacon',
        subject: id,
        detail: { beacon },
      }
      await writeAudit(db.pool, entry)
      return waitingRoom.revealBeacon(id, beacon)
    },

    async changeOwners(account, { eventId, add, remove }) {
      const { id } = await requireChangeable(account, eventId)
      const faults = createInputFaults()
      for (const [name, ids] of Object.entries({ add, remove })) {
        if (ids.length > MOST_OWNERS) faults.add(['input', name], `must name at most ${MOST_OWNERS} accounts`)
        else for (const [i, owner] of ids.entries()) faults.text(['input', name, i], owner)
      }
      faults.throwAny()
      const owners = await changeEventOwners(db, account.id, id, { add, remove }, ({ length }) => {
        if (length === 0) faults.add(['input', 'remove'], 'must leave an owner')
        if (length > MOST_OWNERS)
          faults.add(['input', 'add'], `makes ${length} owners, at most ${MOST_OWNERS}`)
        faults.throwAny()
      })
      return { eventId: id, owners }
    },

    async search({ search, startsAfter, near, ...page }) {
      const limit = rowsToRead(page)
      const rows = await searchEvents(db, {
        text: search?.trim().slice(0, LONGEST_SEARCH) ?? '',
        startsAfter: startsAfter ?? null,
        near: readNear(near),
        after: readSearchCursor(page.after),
        limit,
      })
      return toPage(rows, page, ({ rank, listedAt, startsAt, id }) => [
        String(rank),
        listedAt.toISOString(),
        startsAt.toISOString(),
        id,
      ])
    },

    priceLevels: (eventId) => priceLevels.of(eventId),
  }
}

function readPriceChanges(
  prices: readonly PriceInput[],
  levels: readonly PriceLevelView[],
  faults: InputFaults,
) {
  return [...readPrices(prices, faults)].map(([category, { index, price, fee }]) => {
    const level = levels.find(({ key }) => key === category)
    if (!level) faults.add(['input', 'prices', index, 'category'], 'is no category of the plan and no area')
    return { no: level?.no ?? 0, price, fee }
  })
}

function readNear(near: SearchRequest['near']) {
  if (!near) return null
  const faults = createInputFaults()
  const read = (field: 'latitude' | 'longitude' | 'km') =>
    faults.number(['near', field], near[field], RANGES[field])
  const point = { latitude: read('latitude'), longitude: read('longitude'), km: read('km') }
  faults.throwAny()
  return point
}

function readSearchCursor(after: string | null | undefined) {
  const parts = readCursor(after, 4)
  if (!parts) return null
  const [rank, listedAt, startsAt, id] = parts as [string, string, string, string]
  if (!isFloat4(Number(rank))) throw noCursor()
  return { rank: Number(rank), listedAt: readInstant(listedAt), startsAt: readInstant(startsAt), id }
}

/** PostgreSQL refuses a number that is too large or too small for `float4`. */
function isFloat4(value: number): boolean {
  const nearest = Math.fround(value)
  return Number.isFinite(nearest) && (nearest !== 0 || value === 0)
}
