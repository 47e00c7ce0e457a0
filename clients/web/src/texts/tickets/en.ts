/** The texts of the tickets, in MessageFormat 2. The other languages have the same names. */
export const texts = {
  areYours:
    '.input {$count :integer} .match $count one {{The seat is yours}} * {{The {$count} seats are yours}}',
  yourTickets:
    '.input {$count :integer} .match $count one {{Your {$count} ticket}} * {{Your {$count} tickets}}',
  print: 'Print',
  backToEvent: 'Back to the event',
  section: 'Section',
  row: 'Row',
  seat: 'Seat',
  category: 'Category',
  codeComes: 'The code appears here as soon as your bank has completed the payment.',
  codeFor: 'Code for {$seat}',
  codeAsText: 'The code as text',

  unitsAreYours:
    '.input {$count :integer} .match $count one {{The ticket is yours}} * {{The {$count} tickets are yours}}',
  howToShow:
    'Show the code at the door, on this screen or on paper. This device keeps it: you need no network there.',
  showAtDoor: 'Show at the door',
  makeBright: 'Make your screen bright, so that the scanner reads the code.',
  close: 'Close',
  previous: 'Previous ticket',
  next: 'Next ticket',
  position: 'Ticket {$index :integer} of {$count :integer}',
  void: 'This ticket is void',
  voidHint: 'The door refuses it. The order was refunded or cancelled.',
  pdf: 'Save as PDF',
  calendar: 'Add to calendar',
  wallet: 'Add to Apple Wallet',
  keptAt: 'This device kept these tickets ({$time}), and shows them without a network.',
  noTickets: 'No tickets yet. Tickets that you buy appear here, for all events.',
  pastEvents: 'Past events',
  openEvent: 'See the event',
  returned: '{$amount} was returned to you.',
  onItsWay: 'Your money is on its way back to you.',
  signInToSee: 'Sign in to see your tickets.',
  signIn: 'Sign in',
} as const
