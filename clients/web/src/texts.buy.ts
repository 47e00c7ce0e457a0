import { count } from './texts.ts'

/** The texts of the purchase: the wish, the basket, the payment, the tickets. */
export const buyTexts = {
  // The hold.
  lapsedSpoken: 'Your time to pay is over. The seats are back on sale.',
  lapsed: 'Your time to pay is over, and the seats are back on sale. No money was taken.',
  inCheckout: 'These seats are being paid for. Wait for the result.',
  givenBack: 'The seats are back on sale.',
  reserveBlock: (seats: string, price: string) => `Reserve ${seats} · ${price}`,
  lapsedTitle: (seats: number) => (seats === 1 ? 'You held this seat before' : 'You held these seats before'),
  again: 'Reserve the same again',

  // The payment.
  cancelledLater: 'The order was cancelled, and its tickets are no longer valid.',
  cancelled: 'The order was cancelled, and we keep no money. The seats are back on sale.',
  seatsGone: 'These seats are no longer yours. No money was taken.',
  holdNotFound: 'These seats are no longer held for you. No money was taken.',
  busy: 'Very many people are paying at the moment. Your seats are still held; try again in a moment.',

  // The wish.
  howMany: 'How many tickets?',
  howManyInstead: 'How many tickets instead?',
  fewer: 'One ticket fewer',
  more: 'One ticket more',
  limit: (most: number) => `${count(most, 'ticket')} at most`,
  together: 'Side by side',
  togetherHint: 'In one row, next to each other',
  where: 'Where, and up to which price?',
  bestSeats: 'The best seats that are free',
  upTo: (price: string) => `Up to ${price} each`,
  each: (price: string) => `${price} each`,
  range: (from: string, to: string) => `${from} to ${to} each`,
  freeUnits: (free: number) => (free === 0 ? 'none free now' : `${count(free, 'ticket')} left`),
  freeSeats: (free: number) => (free === 0 ? 'none free now' : `${count(free, 'seat')} left`),
  noSeatNumbers: 'No seat numbers: choose your place at the event',
  reserve: (quantity: number, total: string, isExact: boolean) =>
    `Reserve ${count(quantity, 'ticket')} · ${isExact ? '' : 'up to '}${total}`,
  oneMoment: 'One moment…',
  chooseMyself: 'Choose seats myself',
  byQuantity: 'Let us find seats',
  holdTime: (time: string) => `We keep them for you for ${time} while you pay. Nothing is charged before.`,
  paused: 'The sale is paused. You can reserve when it continues.',
  takeFewer: (n: number) => `Take ${n}`,
  takeTogether: (n: number) => `Take ${n} side by side`,
  takeApart: (n: number) => `Take ${n} in several places`,
  takeAnyPrice: 'Look at every price',
  notTogether: (asked: number, longest: number) =>
    longest > 0
      ? `No ${asked} seats side by side are free. The longest row has ${longest}.`
      : `No ${asked} seats side by side are free.`,

  // Other seats for a hold.
  changing: (time: string) => `Your seats stay yours for ${time}, until you reserve others.`,
  keepSeats: (seats: number) => (seats === 1 ? 'Keep my seat' : 'Keep my seats'),
  exchange: (seats: number, total: string) => `Exchange for ${count(seats, 'seat')} · ${total}`,

  // The checkout.
  held: (seats: number) =>
    seats === 1 ? 'This seat is held for you' : `These ${seats} seats are held for you`,
  heldUnits: (units: number) =>
    units === 1 ? 'This ticket is held for you' : `These ${units} tickets are held for you`,
  changeSeats: 'Choose other seats',
  total: 'Total, fees included',
  payWithSandbox: 'Pay with a sandbox card',
  sandboxHint: 'No real card is needed, and no money is charged.',
  payHere: 'Pay',
  payThere: 'Pay on the payment page',
  payThereHint: 'You enter your card on the secure page of our payment provider, and come back here.',
  freeOfCharge: 'These tickets cost nothing.',
  getTickets: 'Get the tickets',
  pay: (total: string) => `Pay ${total}`,
  processing: 'The bank is processing your payment. Wait here, and do not pay again.',
  actionTitle: 'Your bank asks you to confirm',
  actionText: 'Confirm the payment on the page of your bank. You come back here afterwards.',
  actionGo: 'Go to my bank',
  actionOther: 'Pay another way',
  loadingForm: 'Loading the payment form…',
  formFailed:
    'The payment form could not be loaded. Check your connection, or switch off a blocker for this page.',
  loadAgain: 'Load it again',
  yourSeats: (section: string) => `Your seats in ${section}`,

  // Tickets.
  yours: (n: number) => (n === 1 ? 'Your ticket is here' : `Your ${n} tickets are here`),
  yourTickets: (n: number) => `Your ${count(n, 'ticket')}`,
  ticketsHint:
    'Show the code at the door, on this screen or on paper. This device keeps it: you need no network there.',
  showCode: 'Show at the door',
  codeOf: (place: string) => `Code for ${place}`,
  brighter: 'Make your screen bright, so that the scanner reads the code.',
  close: 'Close',
  previous: 'Previous ticket',
  next: 'Next ticket',
  position: (i: number, n: number) => `Ticket ${i} of ${n}`,
  noCodeYet: 'The code appears here as soon as your bank has completed the payment.',
  codeAsText: 'The code as text',
  void: 'This ticket is void',
  voidText: 'The door refuses it. The order was refunded or cancelled.',
  print: 'Print',
  pdf: 'Save as PDF',
  calendar: 'Add to calendar',
  wallet: 'Add to Apple Wallet',
  back: 'Back to the event',
  offlineCopy: (time: string) =>
    `This device kept these tickets at ${time}, and shows them without a network.`,
  section: 'Section',
  row: 'Row',
  seat: 'Seat',
  category: 'Category',

  // My tickets.
  myTickets: 'My tickets',
  none: 'No tickets yet',
  noneText: 'Tickets that you buy appear here, for all events.',
  past: 'Past events',
  openEvent: 'See the event',
  orderRefunded: (amount: string) => `${amount} was returned to you.`,
  orderRefundOwed: 'Your money is on its way back to you.',
  signInHere: 'Sign in to see your tickets: account name',
  signIn: 'Sign in',
  signInHint: 'This is the sandbox’s sign-in: any name works and nothing is checked.',
  signInElsewhere: 'This service uses the accounts of an identity provider: sign in on the page of an event.',
  tryAgain: 'Try again',
} as const
