/** The texts of the tickets, in MessageFormat 2. The other languages have the same names. */
export const texts = {
  areYours:
    '.input {$count :integer} .match $count one {{The seat is yours}} * {{The {$count} seats are yours}}',
  yourTickets:
    '.input {$count :integer} .match $count one {{Your {$count} ticket}} * {{Your {$count} tickets}}',
  howToShow:
    'Show the code at the door, on this screen or on paper. To find your tickets again, open this address in any browser, sign in as {$name} and press “{$button}” at the top.',
  print: 'Print',
  backToEvent: 'Back to the event',
  section: 'Section',
  row: 'Row',
  seat: 'Seat',
  category: 'Category',
  codeComes: 'The code appears here as soon as your bank has completed the payment.',
  codeFor: 'Code for {$seat}',
  codeAsText: 'The code as text',
} as const
