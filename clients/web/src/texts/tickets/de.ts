import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{Der Platz gehört dir}} * {{Die {$count} Plätze gehören dir}}',
  yourTickets: '.input {$count :integer} .match $count one {{Dein Ticket}} * {{Deine {$count} Tickets}}',
  howToShow:
    'Zeige den Code am Einlass, auf diesem Bildschirm oder auf Papier. Um deine Tickets wiederzufinden, öffne diese Adresse in einem Browser, melde dich als {$name} an und drücke oben auf „{$button}“.',
  print: 'Drucken',
  backToEvent: 'Zurück zur Veranstaltung',
  section: 'Block',
  row: 'Reihe',
  seat: 'Platz',
  category: 'Kategorie',
  codeComes: 'Der Code erscheint hier, sobald deine Bank die Zahlung abgeschlossen hat.',
  codeFor: 'Code für {$seat}',
  codeAsText: 'Der Code als Text',
}
