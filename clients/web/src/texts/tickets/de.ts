import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{Der Platz gehört dir}} * {{Die {$count} Plätze gehören dir}}',
  yourTickets: '.input {$count :integer} .match $count one {{Dein Ticket}} * {{Deine {$count} Tickets}}',
  print: 'Drucken',
  backToEvent: 'Zurück zur Veranstaltung',
  section: 'Block',
  row: 'Reihe',
  seat: 'Platz',
  category: 'Kategorie',
  codeComes: 'Der Code erscheint hier, sobald deine Bank die Zahlung abgeschlossen hat.',
  codeFor: 'Code für {$seat}',
  codeAsText: 'Der Code als Text',

  unitsAreYours:
    '.input {$count :integer} .match $count one {{Das Ticket gehört dir}} * {{Die {$count} Tickets gehören dir}}',
  howToShow:
    'Zeige den Code am Einlass, auf diesem Bildschirm oder auf Papier. Dieses Gerät behält ihn: Du brauchst dort kein Netz.',
  showAtDoor: 'Am Einlass zeigen',
  makeBright: 'Stelle deinen Bildschirm hell, damit der Scanner den Code liest.',
  close: 'Schließen',
  previous: 'Voriges Ticket',
  next: 'Nächstes Ticket',
  position: 'Ticket {$index :integer} von {$count :integer}',
  void: 'Dieses Ticket ist ungültig',
  voidHint: 'Der Einlass weist es ab. Die Bestellung wurde erstattet oder storniert.',
  pdf: 'Als PDF sichern',
  calendar: 'In den Kalender',
  wallet: 'Zu Apple Wallet hinzufügen',
  keptAt: 'Dieses Gerät hat diese Tickets aufbewahrt ({$time}) und zeigt sie ohne Netz.',
  noTickets: 'Noch keine Tickets. Hier erscheinen deine Tickets für alle Veranstaltungen.',
  pastEvents: 'Vergangene Veranstaltungen',
  openEvent: 'Zur Veranstaltung',
  returned: 'Du hast {$amount} zurückbekommen.',
  onItsWay: 'Dein Geld ist auf dem Weg zurück zu dir.',
  signInToSee: 'Melde dich an, um deine Tickets zu sehen.',
  signIn: 'Anmelden',
}
