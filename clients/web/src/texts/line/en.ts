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
  untilFree: 'Until a ticket comes back',
  allHeld:
    'Every ticket is held by a fan who may still pay. Some may come back. You can wait: you lose nothing.',
  mayClose:
    'You can close this page: your place is kept on this device. Opening the page twice does not change your place.',
  leave: 'Leave the line',
  leaveQuestion: 'Leave the line? Your place is lost.',
  stay: 'Stay',
  leaveNow: 'Leave',

  howToCheckLater: 'How this can be checked later',
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
  seatsByPrice: 'What is left by price',
  around: 'around {$time}',
  rateUnknown:
    'The line has not moved lately, so there is no estimate yet. It appears as soon as the line moves.',
  pausedWhy:
    'The organizer has paused the line. Your place does not change, and the line moves on by itself.',
  justDrawn: 'The draw is done. Your place:',
  ofDrawn: 'of {$size :integer} drawn',
  callMe: 'Call me',
  callMeHow: 'Get a notification and a mail about five minutes before your turn, and at your turn.',
  willCall: 'This device will call you. Leave this page open in the background.',
  willCallClosed: 'You will be called by notification and by mail, also when this page is closed.',
  willMail: 'You will be called by mail.',
  doNotCall: 'Do not call me',
  callBlocked:
    'Your browser blocks notifications of this page. Allow them in its settings, then press again.',
  thanksForWaiting:
    'Some fans ahead of you will not buy, and some tickets will come back. You lose nothing by waiting.',
  mayNotReach: 'There may not be enough tickets for your place.',
  drawToCome: 'A fair draw decides',
  fairDraw: 'How you got your place',
  notedHere:
    'This device has noted the commitment and your arrival. After the draw, one press here checks your place against them.',
  checkMyPlace: 'Check my place',
  checkElsewhere: 'Check it without this page',
  checkingPlace: 'Your browser makes the draw of {$size :integer} fans again…',
  cannotCheck: 'This browser cannot compute the draw. Check your place without this page.',
  placeIsRight: 'Your place is right.',
  placeIsWrong: 'Your place does not fit the draw. Keep this page and contact the organizer.',
  sameAsNoted: 'The commitment is the one that this device noted at {$time}, before the draw.',
  differsFromNoted: 'The commitment is not the one that this device noted at {$time}.',
  notNoted:
    'This device noted no commitment before the draw. Compare it with your own note, or with that of another fan.',
  seedFits: 'The published number belongs to the commitment: its SHA-256 is the same.',
  seedDiffers: 'The published number does not belong to the commitment.',
  placeFits:
    'The draw of {$size :integer} fans, made again on this device, gives you place {$computed :integer}.',
  placeDiffers:
    'The draw of {$size :integer} fans, made again on this device, gives you another place: {$computed :integer}.',
  checkedOnDevice: 'Checked on my own device',
  shareCard: 'Share a card',
} as const
