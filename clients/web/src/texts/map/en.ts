/** The texts of the hall, its sections and the choice of seats, in MessageFormat 2. The other languages have the same names. */
export const texts = {
  chooseSection: 'Choose a section',
  whatIsFree: 'What is free',
  noneFreeNow: 'none free now',
  noneFree: 'none free',
  freeNumber: '{$count :integer} free',
  freeSeats: '.input {$count :integer} .match $count one {{{$count} seat free}} * {{{$count} seats free}}',
  notPickable: 'sold without seat numbers, which this page does not support yet',
  allSections: 'All sections',
  loading: 'Loading…',
  zoomIn: 'Zoom in',
  wholeSection: 'Whole section',
  countsOnly:
    'At the moment this page knows only how many seats are free, not which ones. You can still choose: the page reports at once if a seat is taken.',
  wheelchair: 'wheelchair space',
  companion: 'companion seat',
  available: 'available',
  held: 'held by another fan',
  sold: 'sold',
  notForSale: 'not for sale',
  unknown: 'perhaps available',
  chosen: 'chosen by you',
  leftAlone: 'would be left alone',
  seatsOf: 'Seats of {$section}. Arrow keys move, space chooses.',
  row: 'Row',
  loadAgain: 'Load the seats again',
  putBack:
    '.input {$count :integer} .match $count one {{{$seat} put back. {$count} seat chosen.}} * {{{$seat} put back. {$count} seats chosen.}}',
  nowChosen: '{$seat} chosen. {$count :integer} of {$limit :integer}.',
  limitReached:
    '.input {$limit :integer} .match $limit one {{You can have {$limit} seat. Put one back to choose another.}} * {{You can have {$limit} seats. Put one back to choose another.}}',
  noMore: 'You have as many tickets for this event as one account can have.',
  justTaken:
    '.input {$count :integer} .match $count one {{{$seats} was just taken by another fan.}} * {{{$seats} were just taken by another fan.}}',
} as const
