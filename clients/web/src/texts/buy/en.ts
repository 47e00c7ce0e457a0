/** The texts of the basket, the hold and the payment, in MessageFormat 2. The other languages have the same names. */
export const texts = {
  yourChoice: 'Your choice',
  nothingYet:
    '.input {$limit :integer} .match $limit one {{Nothing yet. You can choose up to {$limit} seat, then reserve it while you pay.}} * {{Nothing yet. You can choose up to {$limit} seats, then reserve them while you pay.}}',
  seatsChosen:
    '.input {$count :integer} .match $count one {{{$count} seat chosen}} * {{{$count} seats chosen}}',
  putBack: 'Put {$seat} back',
  paused: 'The sale is paused. You can look around now, and reserve when it continues.',
  reserve:
    '.input {$count :integer} .match $count one {{Reserve {$count} seat · {$total}}} * {{Reserve {$count} seats · {$total}}}',
  keptFor:
    '.input {$count :integer} .match $count one {{It is kept for you for {$time} while you pay.}} * {{They are kept for you for {$time} while you pay.}}',

  seatsTaken: 'Another fan was faster. You hold no seats; choose again.',
  namedSeatsTaken:
    '.input {$count :integer} .match $count one {{Another fan was faster: {$seats} is taken. You hold no seats; choose again.}} * {{Another fan was faster: {$seats} are taken. You hold no seats; choose again.}}',
  takenButHeld: 'Another fan was faster: {$seats}. What you hold stays yours.',
  ownSeats: 'You hold {$seats} already.',
  exchangeOwn: 'Change my seats to these',
  showOwn: 'Show what I hold',
  notEnough:
    '.input {$count :integer} .match $count one {{Only {$count} ticket of this kind can be held now. You hold no tickets.}} * {{Only {$count} tickets of this kind can be held now. You hold no tickets.}}',
  orphan: 'Your choice would leave a single seat beside it. Move your choice by one seat.',
  namedOrphan: 'Your choice would leave a single seat beside it ({$seats}). Move your choice by one seat.',
  wheelchairRequired:
    'A companion seat is sold only together with its wheelchair space. Choose that space too.',
  heldTooOften: 'You have held tickets too often in a short time.',
  deviceHoldsAll: 'The accounts on this device hold as many tickets as one device may.',
  addressHoldsAll:
    'Fans on your internet connection hold as many tickets as one connection may. You can also try another network.',
  notOpen: 'The sale is not open yet. It opens {$when}.',
  salePaused: 'The sale is paused for a moment.',

  declined: '{$why} No money was taken, and your tickets are still held: try another card.',
  noFunds: 'There is not enough money on the card.',
  cardExpired: 'The card has expired.',
  notAuthenticated: 'The bank could not confirm that it is you.',
  bankTryLater: 'The bank did not answer; the same card may work in a moment.',
  bankDeclined: 'The bank declined the payment.',

  timeOver: 'Your time to pay is over. The tickets are back on sale.',
  timeOverNoMoney: 'Your time to pay is over, and the tickets are back on sale. No money was taken.',
  orderRefunded: 'The order was refunded, and its tickets are no longer valid. The money returns to you.',
  orderCancelledLate: 'The payment could not be completed, so the order was cancelled.',
  orderCancelled: 'The order was cancelled, and we keep no money. The tickets are back on sale.',
  noLongerYours: 'These tickets are no longer yours. No money was taken.',
  noLongerHeld: 'These tickets are no longer held for you. No money was taken.',
  checkoutBusy:
    'Very many people are paying at the moment. Your tickets are still held; try again in a moment.',
  beingPaid: 'These tickets are being paid for. Wait for the result.',
  backOnSale: 'The tickets are back on sale.',

  heldForYou:
    '.input {$count :integer} .match $count one {{This seat is held for you}} * {{These {$count} seats are held for you}}',
  total: 'Total, fees included',
  sandboxCard: 'Pay with a sandbox card',
  noRealCard: 'No real card is needed, and no money is charged.',
  cardYes: 'The bank says yes',
  cardNo: 'Declined: not enough money',
  cardSlow: 'Accepted, but the bank is slow',
  paying: 'The bank is processing your payment. Wait here, and do not pay again.',
  pay: 'Pay {$total}',
  giveBack: '.input {$count :integer} .match $count one {{Give the ticket back}} * {{Give the tickets back}}',
  giveBackQuestion:
    '.input {$count :integer} .match $count one {{Give the ticket back? Other fans can buy it then.}} * {{Give the tickets back? Other fans can buy them then.}}',
  keep: '.input {$count :integer} .match $count one {{Keep the ticket}} * {{Keep the tickets}}',
  giveBackNow: 'Give back',
  leftToPay: 'left to pay',
  timeLeftToPay: '{$time} left to pay',
  timeLeftToPayNow: '{$time} left to pay.',
  timeIsOver:
    '.input {$count :integer} .match $count one {{The time is over. You can still pay if no other fan has taken the ticket.}} * {{The time is over. You can still pay if no other fan has taken the {$count} tickets.}}',

  reserveBlock: 'Reserve {$seats} · {$total}',
  heldBefore: 'You held this before: {$seats}',
  again: 'Reserve the same again',
  howMany: 'How many tickets?',
  howManyInstead: 'How many tickets instead?',
  fewer: 'One ticket fewer',
  more: 'One ticket more',
  limit:
    '.input {$count :integer} .match $count one {{{$count} ticket at most}} * {{{$count} tickets at most}}',
  together: 'Side by side',
  togetherHint: 'In one row, next to each other',
  where: 'Where, and up to which price?',
  bestSeats: 'The best seats that are free',
  upTo: 'Up to {$price} each',
  each: '{$price} each',
  range: '{$from} to {$to} each',
  noneNow: 'none free now',
  ticketsLeft:
    '.input {$count :integer} .match $count one {{{$count} ticket left}} * {{{$count} tickets left}}',
  seatsLeft: '.input {$count :integer} .match $count one {{{$count} seat left}} * {{{$count} seats left}}',
  noSeatNumbers: 'No seat numbers: choose your place at the event',
  reserveTickets:
    '.input {$count :integer} .match $count one {{Reserve {$count} ticket · {$total}}} * {{Reserve {$count} tickets · {$total}}}',
  reserveTicketsUpTo:
    '.input {$count :integer} .match $count one {{Reserve {$count} ticket · up to {$total}}} * {{Reserve {$count} tickets · up to {$total}}}',
  chooseMyself: 'Choose seats myself',
  byQuantity: 'Let us find seats',
  holdTime: 'We keep them for you for {$time} while you pay. Nothing is charged before.',
  takeFewer: 'Take {$count}',
  takeTogether: 'Take {$count} side by side',
  takeApart: 'Take {$count} in several places',
  takeAnyPrice: 'Look at every price',
  notTogether: 'No {$count :integer} seats side by side are free.',
  notTogetherLongest:
    'No {$count :integer} seats side by side are free. The most side by side are {$longest :integer}.',
  stillYours: 'What you hold stays yours for {$time}, until you reserve something else.',
  keepMine: '.input {$count :integer} .match $count one {{Keep my ticket}} * {{Keep my tickets}}',
  exchange:
    '.input {$count :integer} .match $count one {{Exchange for {$count} seat · {$total}}} * {{Exchange for {$count} seats · {$total}}}',
  unitsHeld:
    '.input {$count :integer} .match $count one {{This ticket is held for you}} * {{These {$count} tickets are held for you}}',
  fromWaitlist:
    'Tickets came back, and the waitlist has reached you. When the time is over, they go to the next fan.',
  changeSeats: 'Choose others',
  cardAsks: 'The bank asks you to confirm',
  payTitle: 'Pay',
  payThere: 'Pay on the payment page',
  payThereHint: 'You enter your card on the secure page of the payment provider, and come back here.',
  freeOfCharge: 'These tickets cost nothing',
  getTickets: 'Get the tickets',
  actionTitle: 'Your bank asks you to confirm',
  actionText: 'Confirm the payment on the page of your bank. You come back here afterwards.',
  actionGo: 'Go to my bank',
  actionOther: 'Pay another way',
  loadingForm: 'Loading the payment form…',
  formFailed:
    'The payment form could not be loaded. Check your connection, or switch off a blocker for this page.',
  loadFormAgain: 'Load it again',
  yourSeats: 'Your seats in {$section}',
} as const
