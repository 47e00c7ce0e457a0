import type { Seat } from '../../../sdk/index.ts'
import { count, seatName } from '../texts.ts'
import { CHOSEN, lookOf, STRANDED } from './seatStates.ts'

/** Every text of the map and its lists. */
export const MAP_TEXTS = {
  allSections: 'All sections',
  row: (label: string) => (label ? `Row ${label}` : 'Seats without a row'),
  seatInRow: (number: string) => `Seat ${number}`,
  free: (seats: number) => (seats === 0 ? 'none free' : `${seats.toLocaleString()} free`),
  freeSeats: (seats: number) => (seats === 0 ? 'none free now' : `${count(seats, 'seat')} free`),
  freeIn: (seats: number, all: number) => `${seats.toLocaleString()} of ${count(all, 'seat')} free`,
  loading: 'Loading…',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  wholeHall: 'Whole hall',
  wholeSection: 'Whole section',
  hallMap: 'Map of the hall. Plus and minus zoom, arrow keys move. The list below has the same sections.',
  sectionMap: (name: string) => `Seats of ${name}. Arrow keys move, space chooses, plus and minus zoom.`,
  overview: 'Overview: shows the part of the plan that you see',
  stages: { STAGE: 'Stage', SCREEN: 'Screen', FIELD: 'Field', MIDDLE: 'Middle of the hall' },
  moreFree: 'The stronger the colour, the more seats are free.',
  wherePlaced: 'The plan does not say where the sections are: they are drawn side by side.',
  filters: 'Show only',
  wheelchair: 'Wheelchair',
  wheelchairSpace: 'wheelchair space',
  companion: 'companion seat',
  together: 'Seats side by side',
  togetherAny: 'Any seats',
  togetherN: (seats: number) => `${seats} together`,
  clearFilters: 'Show all',
  matchingSections: (matching: number, all: number) =>
    `${matching} of ${count(all, 'section')} may have such seats`,
  matchingSeats: (matching: number) =>
    matching === 0
      ? 'No free seat here matches'
      : `${count(matching, 'free seat matches', 'free seats match')}`,
  sectionsAsList: 'Sections',
  seatsAsList: 'Seats by row',
  held: 'held by another fan',
  sold: 'sold',
  zoomFirst: 'Zoomed in: tap a seat to choose it.',
  noSeatNumbers: 'sold without seat numbers, which this page does not support yet',
  onlyCounts:
    'At the moment this page knows only how many seats are free, not which ones. You can still choose: the page reports at once if a seat is taken.',
} as const

const STATES = {
  free: 'available',
  held: 'held by another fan',
  sold: 'sold',
  closed: 'not for sale',
  unknown: 'perhaps available',
} as const

/** The name of a seat for a screen reader, such as "Row 4, seat 3, €45.50, available". */
export function seatLabel(seat: Seat, price: string, state: number): string {
  const kind = seat.wheelchair ? MAP_TEXTS.wheelchairSpace : seat.companionOf ? MAP_TEXTS.companion : ''
  const is = state & CHOSEN ? 'chosen by you' : STATES[lookOf(state)]
  const stranded = state & STRANDED ? ', would be left alone' : ''
  return `${[seatName(seat), kind, price, is].filter(Boolean).join(', ')}${stranded}`
}
