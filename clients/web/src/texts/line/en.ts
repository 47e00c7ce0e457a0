/** The texts of the line and of its draw, in MessageFormat 2. The other languages have the same names. */
export const texts = {
  inLine: 'You’re in the line',
  drawnLater: 'All places are drawn when the sale opens. This page then shows yours.',
  yourPlace: 'Your place in the line',
  yourTurn: 'It is your turn. One moment…',
  ahead: 'Ahead of you',
  noneAhead: 'No one: you are next',
  people: '.input {$count :integer} .match $count one {{{$count} person}} * {{{$count} people}}',
  yourWait: 'Your wait',
  waitPaused: 'The line is paused for a moment',
  waitUnknown: 'Not known now',
  anyMoment: 'Any moment',
  untilFree: 'Until a seat becomes free',
  seats: 'Seats',
  seatsFree: '.input {$count :integer} .match $count one {{{$count} seat free}} * {{{$count} seats free}}',
  seatsFreeHeld:
    '.input {$count :integer} .match $count one {{{$count} seat free, {$held :integer} held}} * {{{$count} seats free, {$held :integer} held}}',
  allHeld:
    'Every seat is held by a fan who may still pay. Some seats may become free. You can wait: you lose nothing.',
  mayNotReach:
    'There may not be enough seats for your place. You can wait: some fans ahead of you will not buy.',
  mayClose:
    'You can close this page: your place is kept on this device. Opening the page twice does not change your place.',
  leave: 'Leave the line',
  leaveQuestion: 'Leave the line? Your place is lost.',
  stay: 'Stay',
  leaveNow: 'Leave',

  howToCheckLater: 'How this can be checked later',
  checkDraw: 'Check the draw',
  noteNow:
    'Note the commitment and your arrival now. The commitment belongs to a secret number that was chosen before the line opened. The number is published at the draw, and anyone can then compute every place from it.',
  computeYourself:
    'The seed is the number that belongs to the commitment, and every place follows from the data here. This command of Fairgate’s own program computes your place and compares it. You can also compute it yourself:',
  event: 'Event',
  yourArrival: 'Your arrival',
  place: 'Your place',
  inDraw: 'In the draw',
  commitment: 'Commitment',
  seed: 'Seed',
  randomnessFrom: 'Public randomness from',
  randomness: 'Public randomness',
  joinedBefore:
    'You were number {$arrival :integer} to join. When the sale opens, all fans who have joined by then are put into a random order. It does not matter who joined first.',
  noDraw:
    'You were number {$arrival :integer} to join. No one joined before the opening, so there was no draw.',
  joinedAfter:
    'You were number {$arrival :integer} to join. The {$size :integer} fans who joined before the opening were drawn first. You come after them, in order of arrival.',
  waitsForRandomness:
    'You were number {$arrival :integer} to join. The draw has {$size :integer} fans and waits for public randomness: {$source}.',
  drawInProgress: 'You were number {$arrival :integer} to join. The draw is in progress.',
  drawn:
    'You were number {$arrival :integer} to join. In the draw you got place {$place :integer} of {$size :integer}.',
} as const
