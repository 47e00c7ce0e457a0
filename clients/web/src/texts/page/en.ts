/** The texts of the frame, of the event and of the waitlist, in MessageFormat 2. The other languages have the same names. */
export const texts = {
  title: 'Tickets',
  titlePlace: 'No. {$place :integer}',
  titleTurn: 'Your turn',
  loading: 'Loading the event',
  missing: 'There is no such event',
  missingHint: 'Check the address: a part of it may be missing.',
  unreachable: 'The box office does not answer',
  unreachableHint: 'Your place in the line is kept while this page is closed. Try again in a moment.',
  tryAgain: 'Try again',
  oneMoment: 'One moment…',
  dismiss: 'Dismiss',
  language: 'Language',

  noConnection: 'No connection.',
  noConnectionHint: 'This page tries again by itself.',
  connected: 'Connected again.',
  connectionLost: 'The connection is lost.',
  meanwhileLine: 'Your place in the line is kept.',
  meanwhileSeats: 'What you chose is not held yet: another fan can take it.',
  meanwhilePay: 'Your tickets are held until your time to pay is over.',

  noAnswer: 'No answer came. Check your connection, then try again.',
  brokenPage: 'Something went wrong on this page. Reload it.',
  signInExpired: 'Your sign-in has expired. Sign in again to see your place, seats and tickets.',
  timeToChooseOver: 'Your time to choose is over. Join the line again.',
  crowded: 'Very many people are here at the moment. {$retry}',
  ourFault: 'Something went wrong on our side. Try again.',
  ourFaultNumber:
    'Something went wrong on our side. Try again. If it happens again, contact us with this number: {$number}',
  retryLater: 'Try again later.',
  retryIn:
    '.input {$count :integer} .match $count one {{Try again in {$count} second.}} * {{Try again in {$count} seconds.}}',
  startedAgain:
    'This sale was started again: earlier places in the line and earlier seats are no longer valid.',

  signedInAs: 'Signed in to the sandbox as {$name}.',
  myTickets: 'My tickets',
  signOut: 'Sign out',
  accountName: 'Account name',
  accountNameRule: 'At least one letter or digit',
  sandboxSignIn:
    'This is the sandbox’s sign-in: any name works and nothing is checked. A real sale signs you in with your ticket account.',
  signInElsewhere:
    'This service uses the accounts of an identity provider: sign in there. The sandbox’s sign-in is switched off.',
  ticketCount: '.input {$count :integer} .match $count one {{{$count} ticket}} * {{{$count} tickets}}',
  seatCount: '.input {$count :integer} .match $count one {{{$count} seat}} * {{{$count} seats}}',
  seatName: 'Row {$row}, seat {$number}',
  timeToChoose: 'Time left to choose',
  toChoose: '{$time} to choose',
  toPay: '{$time} to pay',

  days: '.input {$count :integer} .match $count one {{{$count} day}} * {{{$count} days}}',
  about: 'About {$time}',
  underMinute: 'Less than a minute',
  atTime: 'at {$time}',
  onDay: 'on {$time}',
  dateAndTime: '{$date}, {$time}',
  ourClock: '{$time}, by our clock, not by that of your device',

  theSale: 'The sale',
  lineOpensIn: 'The line opens in',
  saleOpensIn: 'The sale opens in',
  onSaleLater: 'Tickets go on sale {$when}. Come back when the line opens to take your place in it.',
  lineIsOpen: 'The line can be joined now. You will see your place in it when the sale opens.',
  joinLine: 'Join the line',
  joining: 'Joining…',
  chooseSeats: 'Choose seats',
  chooseTickets: 'Choose tickets',
  onSaleNow: 'On sale now',
  turnEnded: 'Your turn has ended.',
  turnEndedWhat: 'Your turn ended before you held any tickets.',
  turnEndedNext: 'You can join the line again.',
  seatsFree:
    '.input {$count :integer} .match $count one {{{$count} ticket is left.}} * {{{$count} tickets are left.}}',
  noneFree:
    '.input {$held :integer} .match $held one {{No ticket is free to take now. {$held} ticket is held but not paid, and may come back.}} * {{No ticket is free to take now. {$held} tickets are held but not paid, and may come back.}}',
  waiting:
    '.input {$count :integer} .match $count one {{{$count} person waits in the line.}} * {{{$count} people wait in the line.}}',
  allTickets:
    '.input {$count :integer} .match $count one {{You have {$count} ticket, as many as one account can have.}} * {{You have {$count} tickets, as many as one account can have.}}',
  paused: 'The sale is paused',
  pausedHint:
    'You do not need to do anything: this page continues by itself when the sale does. Places in the line are kept, and you can pay for held seats.',
  soldOut: 'Sold out',
  soldOutYours:
    '.input {$count :integer} .match $count 0 {{No ticket is left: each was sold once. Thank you for waiting with us.}} one {{Every ticket is sold, and one of them is yours.}} * {{Every ticket is sold, and {$count} of them are yours.}}',
  ended: 'The sale has ended',
  endedHint: 'Tickets for this event are no longer sold here.',
  seeMyTickets: 'See my tickets',
  prices: 'Prices',
  feesIncluded: 'Fees included.',
  seatsInAll:
    '.input {$count :integer} .match $count one {{{$count} ticket in all.}} * {{{$count} tickets in all.}}',

  checking: 'Checking that you are not a script.',
  checkingTakes: 'Your browser calculates for a few seconds. You do not need to do anything.',
  lineNotOpen: 'The line is not open yet. It opens {$when}.',
  moveHere: 'Move my place here',
  notVerified:
    'Your account’s e-mail address is not verified yet. Open the link in the verification e-mail, then come back.',
  challengeFailed:
    'This sale checks that you are not a script, and this browser could not do the check. Update it, or try another browser.',
  saleEnded: 'The sale has ended.',
  everySeatSold: 'Every ticket is sold.',
  yourTurnNow: 'It is your turn. Choose your tickets.',
  inTheLine: 'You are in the line. The order is drawn when the sale opens.',
  numberInLine: 'You are number {$place :integer} in the line.',
  linePaused: 'The line is paused.',
  lineMoves: 'The line moves again.',
  leftLine: 'You left the line.',

  onWaitlist:
    '.input {$count :integer} .match $count one {{You are on the waitlist for {$count} ticket}} * {{You are on the waitlist for {$count} tickets}}',
  youAreNext: 'You are next.',
  aheadOnWaitlist:
    '.input {$count :integer} .match $count one {{{$count} person is before you.}} * {{{$count} people are before you.}}',
  waitlistHint:
    'When matching tickets come back, we hold them for you for a while. This page shows them, and you get an e-mail.',
  leaveWaitlist: 'Leave the waitlist',
  joinWaitlist: 'Join the waitlist',
  waitForReturned: 'Wait for returned tickets',
  entryEnded: 'Your entry on the waitlist has ended:',
  entryEndedWhy:
    'the offer went to the next fan, or the sale has ended. While the sale is on, you can join again at the end.',
  waitlistHow:
    'Sometimes an order is cancelled. Its tickets are offered to the fans on the waitlist, in the order of joining.',
  ticketsWanted: 'Tickets',
  acceptFewer: 'I take fewer if not enough tickets come back',
  nowOnWaitlist: 'You are on the waitlist.',
  leftWaitlist: 'You have left the waitlist.',
  offered: 'Tickets are available again, and we hold them for you.',
  notSoldOut: 'These tickets are on sale: choose them now.',
  joinFirst: 'The sale is on: join the waiting room first.',
  ticketLimit:
    '.input {$limit :integer} .match $limit one {{One account can have {$limit} ticket for this event, and yours already has {$used :integer}.}} * {{One account can have {$limit} tickets for this event, and yours already has {$used :integer}.}}',
  left: '{$count :integer} left',
  mayComeBack: '{$count :integer} may come back',
  gone: 'gone',
  priceGone: 'The {$price} tickets are gone.',
  priceAllHeld: 'The {$price} tickets are all held. Some may come back.',
  enoughForAll: 'The tickets left are enough for everyone in the line now.',
  enoughForSome:
    'The tickets left are enough for about {$reach :integer} of the {$waiting :integer} people in the line.',
  placeIsElsewhere: 'Your place is on another device',
  oneDeviceHas:
    'One device has your place in the line. You can keep it there, or move it here; the other device then loses it.',
  milestoneSoon: 'About five minutes to your turn.',
  callSoonTitle: 'About five minutes to your turn',
  callSoonBody: '{$event}: you will choose your tickets soon.',
  callTurnTitle: 'It is your turn',
  callTurnBody: '{$event}: choose your tickets now.',
  placeElsewhere:
    'Your place in the line is no longer on this device: it may have been moved to another one.',
  terms: 'Terms',
} as const
