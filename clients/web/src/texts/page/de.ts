import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  title: 'Tickets',
  titlePlace: 'Nr. {$place :integer}',
  titleTurn: 'Du bist dran',
  loading: 'Die Veranstaltung wird geladen',
  missing: 'Diese Veranstaltung gibt es nicht',
  missingHint: 'Prüfe die Adresse: Vielleicht fehlt ein Teil davon.',
  unreachable: 'Der Ticketverkauf antwortet nicht',
  unreachableHint:
    'Deine Position in der Schlange bleibt erhalten, auch wenn diese Seite geschlossen ist. Versuche es gleich noch einmal.',
  tryAgain: 'Noch einmal versuchen',
  oneMoment: 'Einen Moment …',
  dismiss: 'Schließen',
  language: 'Sprache',

  noConnection: 'Keine Verbindung.',
  noConnectionHint: 'Diese Seite versucht es von selbst wieder.',
  connected: 'Die Verbindung ist wieder da.',
  connectionLost: 'Die Verbindung ist weg.',
  meanwhileLine: 'Deine Position in der Schlange bleibt erhalten.',
  meanwhileSeats: 'Ausgewählte Plätze sind noch nicht reserviert: Andere Fans können sie nehmen.',
  meanwhilePay: 'Deine Plätze sind reserviert, bis deine Zeit zum Bezahlen um ist.',

  noAnswer: 'Es kam keine Antwort. Prüfe deine Verbindung und versuche es noch einmal.',
  brokenPage: 'Auf dieser Seite ist etwas schiefgegangen. Lade sie neu.',
  signInExpired:
    'Deine Anmeldung ist abgelaufen. Melde dich noch einmal an, um deine Position, Plätze und Tickets zu sehen.',
  timeToChooseOver: 'Deine Zeit zum Auswählen ist um. Stell dich noch einmal an.',
  crowded: 'Gerade sind sehr viele Menschen hier. {$retry}',
  ourFault: 'Bei uns ist etwas schiefgegangen. Versuche es noch einmal.',
  ourFaultNumber:
    'Bei uns ist etwas schiefgegangen. Versuche es noch einmal. Wenn es wieder passiert, nenne uns diese Nummer: {$number}',
  retryLater: 'Versuche es später noch einmal.',
  retryIn:
    '.input {$count :integer} .match $count one {{Versuche es in {$count} Sekunde noch einmal.}} * {{Versuche es in {$count} Sekunden noch einmal.}}',
  startedAgain:
    'Dieser Verkauf wurde neu gestartet: Frühere Positionen in der Schlange und frühere Plätze gelten nicht mehr.',

  signedInAs: 'In der Sandbox angemeldet als {$name}.',
  myTickets: 'Meine Tickets',
  signOut: 'Abmelden',
  accountName: 'Name des Kontos',
  accountNameRule: 'Mindestens ein Buchstabe oder eine Ziffer',
  sandboxSignIn:
    'Das ist die Anmeldung der Sandbox: Jeder Name geht, und nichts wird geprüft. Bei einem echten Verkauf meldest du dich mit deinem Ticketkonto an.',
  signInElsewhere:
    'Dieser Dienst nutzt die Konten eines anderen Anbieters: Melde dich dort an. Die Anmeldung der Sandbox ist ausgeschaltet.',
  ticketCount: '.input {$count :integer} .match $count one {{{$count} Ticket}} * {{{$count} Tickets}}',
  seatCount: '.input {$count :integer} .match $count one {{{$count} Platz}} * {{{$count} Plätze}}',
  seatName: 'Reihe {$row}, Platz {$number}',
  timeToChoose: 'Verbleibende Zeit zum Auswählen',
  toChoose: '{$time} zum Auswählen',
  toPay: '{$time} zum Bezahlen',

  days: '.input {$count :integer} .match $count one {{{$count} Tag}} * {{{$count} Tage}}',
  about: 'Etwa {$time}',
  underMinute: 'Weniger als eine Minute',
  atTime: 'um {$time}',
  onDay: 'am {$time}',
  dateAndTime: '{$date}, {$time}',
  ourClock: '{$time}, nach unserer Uhr, nicht nach der deines Geräts',

  theSale: 'Der Verkauf',
  lineOpensIn: 'Die Schlange öffnet in',
  saleOpensIn: 'Der Verkauf öffnet in',
  onSaleLater: 'Der Verkauf beginnt {$when}. Komm wieder, wenn die Schlange öffnet, und stell dich an.',
  lineIsOpen: 'Du kannst dich jetzt anstellen. Deine Position siehst du, wenn der Verkauf öffnet.',
  joinLine: 'Anstellen',
  joining: 'Einen Moment …',
  chooseSeats: 'Plätze auswählen',
  chooseTickets: 'Karten auswählen',
  onSaleNow: 'Jetzt im Verkauf',
  turnEnded: 'Deine Zeit ist um.',
  turnEndedWhat: 'Deine Zeit war um, bevor du Plätze reserviert hast.',
  turnEndedNext: 'Du kannst dich noch einmal anstellen.',
  seatsFree:
    '.input {$count :integer} .match $count one {{{$count} Platz ist frei.}} * {{{$count} Plätze sind frei.}}',
  noneFree:
    '.input {$held :integer} .match $held one {{Gerade ist kein Platz frei. {$held} Platz ist reserviert, aber nicht bezahlt, und wird vielleicht frei.}} * {{Gerade ist kein Platz frei. {$held} Plätze sind reserviert, aber nicht bezahlt, und werden vielleicht frei.}}',
  waiting:
    '.input {$count :integer} .match $count one {{{$count} Person wartet in der Schlange.}} * {{{$count} Personen warten in der Schlange.}}',
  allTickets:
    '.input {$count :integer} .match $count one {{Du hast {$count} Ticket; mehr kann ein Konto nicht haben.}} * {{Du hast {$count} Tickets; mehr kann ein Konto nicht haben.}}',
  paused: 'Der Verkauf macht eine Pause',
  pausedHint:
    'Du musst nichts tun: Diese Seite macht von selbst weiter, sobald der Verkauf weitergeht. Positionen in der Schlange bleiben erhalten, und reservierte Plätze kannst du bezahlen.',
  soldOut: 'Ausverkauft',
  soldOutYours:
    '.input {$count :integer} .match $count 0 {{Kein Platz ist übrig: Jeder wurde genau einmal verkauft. Danke, dass du mit uns gewartet hast.}} one {{Alle Plätze sind verkauft, und einer davon gehört dir.}} * {{Alle Plätze sind verkauft, und {$count} davon gehören dir.}}',
  ended: 'Der Verkauf ist beendet',
  endedHint: 'Tickets für diese Veranstaltung werden hier nicht mehr verkauft.',
  seeMyTickets: 'Meine Tickets ansehen',
  prices: 'Preise',
  feesIncluded: 'Gebühren inbegriffen.',
  seatsInAll:
    '.input {$count :integer} .match $count one {{Insgesamt {$count} Platz.}} * {{Insgesamt {$count} Plätze.}}',

  checking: 'Wir prüfen, dass du kein Skript bist.',
  checkingTakes: 'Dein Browser rechnet einige Sekunden. Du musst nichts tun.',
  lineNotOpen: 'Die Schlange ist noch nicht offen. Sie öffnet {$when}.',
  moveHere: 'Meine Position hierher holen',
  notVerified:
    'Die Mailadresse deines Kontos ist noch nicht bestätigt. Öffne den Link in der Bestätigungsmail und komm dann wieder.',
  challengeFailed:
    'Dieser Verkauf prüft, dass du kein Skript bist, und dieser Browser konnte die Prüfung nicht machen. Aktualisiere ihn, oder nimm einen anderen.',
  saleEnded: 'Der Verkauf ist beendet.',
  everySeatSold: 'Alle Plätze sind verkauft.',
  yourTurnNow: 'Du bist dran. Wähle deine Plätze.',
  inTheLine: 'Du stehst in der Schlange. Die Reihenfolge wird ausgelost, wenn der Verkauf öffnet.',
  numberInLine: 'Du bist Nummer {$place :integer} in der Schlange.',
  linePaused: 'Die Schlange macht eine Pause.',
  lineMoves: 'Die Schlange geht weiter.',
  leftLine: 'Du hast die Schlange verlassen.',

  onWaitlist:
    '.input {$count :integer} .match $count one {{Du stehst auf der Warteliste für {$count} Ticket}} * {{Du stehst auf der Warteliste für {$count} Tickets}}',
  youAreNext: 'Du bist als Nächstes dran.',
  aheadOnWaitlist:
    '.input {$count :integer} .match $count one {{{$count} Person ist vor dir.}} * {{{$count} Personen sind vor dir.}}',
  waitlistHint:
    'Wenn passende Plätze frei werden, reservieren wir sie dir für eine Weile. Diese Seite zeigt sie, und du bekommst eine Mail.',
  leaveWaitlist: 'Warteliste verlassen',
  joinWaitlist: 'Auf die Warteliste',
  waitForReturned: 'Auf zurückgegebene Plätze warten',
  entryEnded: 'Dein Eintrag auf der Warteliste ist beendet:',
  entryEndedWhy:
    'Das Angebot ging an den nächsten Fan, oder der Verkauf ist beendet. Solange der Verkauf läuft, kannst du dich wieder hinten anstellen.',
  waitlistHow:
    'Manchmal wird eine Bestellung storniert. Ihre Plätze bieten wir den Fans auf der Warteliste an, in der Reihenfolge ihrer Einträge.',
  ticketsWanted: 'Tickets',
  acceptFewer: 'Ich nehme auch weniger, wenn nicht genug Plätze frei werden',
  nowOnWaitlist: 'Du stehst auf der Warteliste.',
  leftWaitlist: 'Du hast die Warteliste verlassen.',
  offered: 'Es gibt wieder Plätze, und wir haben sie für dich reserviert.',
  notSoldOut: 'Diese Plätze sind im Verkauf: Wähle sie jetzt aus.',
  joinFirst: 'Der Verkauf läuft: Stell dich zuerst an.',
  ticketLimit:
    '.input {$limit :integer} .match $limit one {{Ein Konto kann {$limit} Ticket für diese Veranstaltung haben, und deines hat schon {$used :integer}.}} * {{Ein Konto kann {$limit} Tickets für diese Veranstaltung haben, und deines hat schon {$used :integer}.}}',
  left: 'noch {$count :integer}',
  mayComeBack: '{$count :integer} vielleicht wieder frei',
  gone: 'weg',
  priceGone: 'Die Plätze für {$price} sind weg.',
  priceAllHeld: 'Die Plätze für {$price} sind alle reserviert. Einige werden vielleicht wieder frei.',
  enoughForAll: 'Die Plätze reichen für alle, die jetzt in der Schlange stehen.',
  enoughForSome:
    'Die Plätze reichen für etwa {$reach :integer} der {$waiting :integer} Personen in der Schlange.',
  placeIsElsewhere: 'Deine Position ist auf einem anderen Gerät',
  oneDeviceHas:
    'Ein Gerät hat deine Position in der Schlange. Lass sie dort, oder hole sie hierher; das andere Gerät verliert sie dann.',
  milestoneSoon: 'Noch etwa fünf Minuten, bis du dran bist.',
  callSoonTitle: 'Noch etwa fünf Minuten',
  callSoonBody: '{$event}: Gleich wählst du deine Plätze.',
  callTurnTitle: 'Du bist dran',
  callTurnBody: '{$event}: Wähle jetzt deine Plätze.',
  placeElsewhere:
    'Deine Position in der Schlange ist nicht mehr auf diesem Gerät: Vielleicht wurde sie auf ein anderes übertragen.',
  terms: 'Bedingungen',
}
