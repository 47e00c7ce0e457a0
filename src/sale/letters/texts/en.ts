/** The texts of mails and tickets in MessageFormat 2 (Unicode TR 35). The other languages have the same keys. */
export const en = {
  confirmedSubject:
    '.input {$count :integer}\n.match $count\none {{Your ticket for {$event}}}\n* {{Your {$count} tickets for {$event}}}',
  confirmedHeading: 'Your order is confirmed',
  confirmedText:
    '.input {$count :integer}\n.match $count\none {{Your ticket is attached to this mail as a PDF file. Print it, or show it on your phone.}}\n* {{Your tickets are attached to this mail as a PDF file, one page each. Print them, or show them on your phone.}}',
  confirmedTextLink:
    '.input {$count :integer}\n.match $count\none {{Your ticket is on the page of your order.}}\n* {{Your tickets are on the page of your order.}}',
  cancelledSubject: 'Your order for {$event} is cancelled',
  cancelledHeading: 'Your order is cancelled',
  cancelledText: 'Your order is cancelled. Its tickets are no longer valid: the door refuses them.',
  moneyBack:
    'You pay nothing. If your bank shows a payment or a reservation of {$total}, the money returns to you by itself.',
  seatsGoneSubject: 'No tickets for {$event}: the seats were gone',
  seatsGoneHeading: 'The seats were gone',
  seatsGoneText:
    'Your payment was not approved in time, so the seats are no longer yours. You have no tickets from this order.',
  refundOwedSubject: 'Your refund of {$amount} for {$event} has begun',
  refundOwedHeading: 'We are returning {$amount} to you',
  refundOwedWhole: 'Your order is cancelled, and its tickets are no longer valid: the door refuses them.',
  refundOwedPart:
    'A part of your order is refunded. Refunded tickets are no longer valid; the others stay valid.',
  refundOwedNext:
    'You do not need to do anything. We send you another mail when the payment provider has returned the money.',
  refundedSubject: 'Refund of {$amount} for {$event}',
  refundedHeading: 'We have returned {$amount} to you',
  refundedWhole: 'Your whole order is refunded. Its tickets are no longer valid.',
  refundedPart:
    'A part of your order is refunded: {$refunded} of {$total} so far. Refunded tickets are no longer valid; the others stay valid.',
  refundedWait:
    'The money returns to the card or account that you paid with. Your bank may need up to ten days to show it.',
  offerSubject:
    '.input {$count :integer}\n.match $count\none {{1 ticket for {$event}, held for you}}\n* {{{$count} tickets for {$event}, held for you}}',
  offerHeading: 'It is your turn on the waitlist',
  offerText:
    '.input {$count :integer}\n.match $count\none {{1 ticket for {$event} came back. It is held for you until {$until} ({$timeZone}).}}\n* {{{$count} tickets for {$event} came back. They are held for you until {$until} ({$timeZone}).}}',
  offerHow: 'See the offer and pay for it on the page of the event, signed in as you joined the waitlist.',
  offerEnd: 'An offer that is not paid for by then goes to the next fan, and your entry ends.',
  soonSubject: 'Your turn for {$event} comes in about five minutes',
  soonHeading: 'About five minutes until your turn',
  soonText: 'Open the page of the event now, on the device that has your place in the line.',
  turnSubject: 'It is your turn: {$event}',
  turnHeading: 'It is your turn',
  turnText:
    '.input {$count :integer}\n.match $count\none {{Come in within a minute, on the device that has your place in the line.}}\n* {{Come in within {$count} minutes, on the device that has your place in the line.}}',
  turnEnd: 'After that your place goes to the next fan.',
  seeEvent: 'Open the event',
  alertFooter: 'This mail was sent automatically, since you asked to be called when your turn comes.',
  seeOrder: 'See your order',
  seeOffer: 'See the offer',
  event: 'Event',
  performers: 'With',
  date: 'Date',
  venue: 'Venue',
  order: 'Order',
  total: 'Total',
  tickets: 'Tickets',
  section: 'Section',
  row: 'Row',
  seat: 'Seat',
  generalAdmission: 'General admission, free choice of place',
  price: 'Price',
  fee: 'including a fee of {$fee}',
  placed: '{$section} · Row {$row}, seat {$seat}',
  placedFreely: '{$section} · General admission, free choice of place',
  ticketOf: 'Ticket {$index} of {$count}',
  ticketNumber: 'Ticket',
  ticketsTitle: 'Tickets for {$event}',
  code: 'QR code of ticket {$ticket}',
  terms: 'Terms',
  term1: 'The QR code admits one person, once. The first person who shows it is admitted; a copy is refused.',
  term2: 'Keep the code secret: never post a picture of it.',
  term3: 'If the order is refunded or cancelled, this ticket is no longer valid.',
  footer: 'This mail was sent automatically, since an order or a waitlist entry names this address.',
}

export type Texts = Readonly<Record<keyof typeof en, string>>
