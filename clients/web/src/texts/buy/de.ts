import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  yourChoice: 'Deine Auswahl',
  nothingYet:
    '.input {$limit :integer} .match $limit one {{Noch nichts. Du kannst {$limit} Platz auswählen und ihn dann reservieren, während du bezahlst.}} * {{Noch nichts. Du kannst bis zu {$limit} Plätze auswählen und sie dann reservieren, während du bezahlst.}}',
  seatsChosen:
    '.input {$count :integer} .match $count one {{{$count} Platz ausgewählt}} * {{{$count} Plätze ausgewählt}}',
  putBack: '{$seat} zurücklegen',
  paused:
    'Der Verkauf macht eine Pause. Du kannst dir jetzt Plätze ansehen und sie reservieren, sobald er weitergeht.',
  reserve:
    '.input {$count :integer} .match $count one {{{$count} Platz reservieren · {$total}}} * {{{$count} Plätze reservieren · {$total}}}',
  keptFor:
    '.input {$count :integer} .match $count one {{Er bleibt {$time} für dich reserviert, während du bezahlst.}} * {{Sie bleiben {$time} für dich reserviert, während du bezahlst.}}',

  seatsTaken: 'Ein anderer Fan war schneller. Du hast keine Plätze reserviert; wähle noch einmal aus.',
  namedSeatsTaken:
    '.input {$count :integer} .match $count one {{Ein anderer Fan war schneller: {$seats} ist vergeben. Du hast keine Plätze reserviert; wähle noch einmal aus.}} * {{Ein anderer Fan war schneller: {$seats} sind vergeben. Du hast keine Plätze reserviert; wähle noch einmal aus.}}',
  takenButHeld: 'Ein anderer Fan war schneller: {$seats}. Deine Reservierung bleibt dir.',
  ownSeats: '{$seats} hast du schon reserviert.',
  exchangeOwn: 'Meine Plätze gegen diese tauschen',
  showOwn: 'Zeigen, was ich reserviert habe',
  notEnough:
    '.input {$count :integer} .match $count one {{Gerade lässt sich nur {$count} Platz dieser Art reservieren. Du hast keine Plätze reserviert.}} * {{Gerade lassen sich nur {$count} Plätze dieser Art reservieren. Du hast keine Plätze reserviert.}}',
  orphan: 'Neben deiner Auswahl bliebe ein einzelner Platz übrig. Verschiebe sie um einen Platz.',
  namedOrphan:
    'Neben deiner Auswahl bliebe ein einzelner Platz übrig ({$seats}). Verschiebe sie um einen Platz.',
  wheelchairRequired:
    'Ein Platz für die Begleitung wird nur zusammen mit seinem Rollstuhlplatz verkauft. Wähle auch diesen aus.',
  heldTooOften: 'Du hast in kurzer Zeit zu oft Plätze reserviert.',
  deviceHoldsAll: 'Die Konten auf diesem Gerät haben so viele Plätze reserviert, wie ein Gerät darf.',
  addressHoldsAll:
    'Fans an deinem Internetanschluss haben so viele Plätze reserviert, wie ein Anschluss darf. Du kannst auch ein anderes Netz versuchen.',
  notOpen: 'Der Verkauf ist noch nicht offen. Er öffnet {$when}.',
  salePaused: 'Der Verkauf macht kurz Pause.',

  declined:
    '{$why} Es wurde kein Geld abgebucht, und die Plätze gehören noch dir: Versuche eine andere Karte.',
  noFunds: 'Auf der Karte ist nicht genug Geld.',
  cardExpired: 'Die Karte ist abgelaufen.',
  notAuthenticated: 'Die Bank konnte nicht bestätigen, dass du es bist.',
  bankTryLater: 'Die Bank hat nicht geantwortet; dieselbe Karte geht vielleicht gleich.',
  bankDeclined: 'Die Bank hat die Zahlung abgelehnt.',

  timeOver: 'Deine Zeit zum Bezahlen ist um. Die Plätze sind wieder im Verkauf.',
  timeOverNoMoney:
    'Deine Zeit zum Bezahlen ist um, und die Plätze sind wieder im Verkauf. Es wurde kein Geld abgebucht.',
  orderRefunded:
    'Die Bestellung wurde erstattet, und ihre Tickets gelten nicht mehr. Das Geld kommt zu dir zurück.',
  orderCancelledLate: 'Die Zahlung ließ sich nicht abschließen, deshalb wurde die Bestellung storniert.',
  orderCancelled:
    'Die Bestellung wurde storniert, und wir behalten kein Geld. Die Plätze sind wieder im Verkauf.',
  noLongerYours: 'Diese Plätze gehören dir nicht mehr. Es wurde kein Geld abgebucht.',
  noLongerHeld: 'Diese Plätze sind nicht mehr für dich reserviert. Es wurde kein Geld abgebucht.',
  checkoutBusy:
    'Gerade bezahlen sehr viele Menschen. Deine Plätze sind noch reserviert; versuche es gleich noch einmal.',
  beingPaid: 'Diese Plätze werden gerade bezahlt. Warte auf das Ergebnis.',
  backOnSale: 'Die Plätze sind wieder im Verkauf.',

  heldForYou:
    '.input {$count :integer} .match $count one {{Dieser Platz ist für dich reserviert}} * {{Diese {$count} Plätze sind für dich reserviert}}',
  total: 'Summe mit Gebühren',
  sandboxCard: 'Mit einer Karte der Sandbox bezahlen',
  noRealCard: 'Es braucht keine echte Karte, und es wird kein Geld abgebucht.',
  cardYes: 'Die Bank sagt ja',
  cardNo: 'Abgelehnt: nicht genug Geld',
  cardSlow: 'Angenommen, aber die Bank ist langsam',
  paying: 'Die Bank bearbeitet deine Zahlung. Warte hier, und bezahle nicht noch einmal.',
  pay: '{$total} bezahlen',
  giveBack: '.input {$count :integer} .match $count one {{Platz zurückgeben}} * {{Plätze zurückgeben}}',
  giveBackQuestion:
    '.input {$count :integer} .match $count one {{Den Platz zurückgeben? Andere Fans können ihn dann kaufen.}} * {{Die Plätze zurückgeben? Andere Fans können sie dann kaufen.}}',
  keep: '.input {$count :integer} .match $count one {{Platz behalten}} * {{Plätze behalten}}',
  giveBackNow: 'Zurückgeben',
  leftToPay: 'zum Bezahlen',
  timeLeftToPay: 'Noch {$time} zum Bezahlen',
  timeLeftToPayNow: 'Noch {$time} zum Bezahlen.',
  timeIsOver:
    '.input {$count :integer} .match $count one {{Die Zeit ist um. Du kannst noch bezahlen, wenn niemand anders den Platz genommen hat.}} * {{Die Zeit ist um. Du kannst noch bezahlen, wenn niemand anders die {$count} Plätze genommen hat.}}',

  reserveBlock: '{$seats} reservieren · {$total}',
  heldBefore: 'Das hattest du schon reserviert: {$seats}',
  again: 'Dasselbe noch einmal reservieren',
  howMany: 'Wie viele Tickets?',
  howManyInstead: 'Wie viele Tickets stattdessen?',
  fewer: 'Ein Ticket weniger',
  more: 'Ein Ticket mehr',
  limit:
    '.input {$count :integer} .match $count one {{höchstens {$count} Ticket}} * {{höchstens {$count} Tickets}}',
  together: 'Nebeneinander',
  togetherHint: 'In einer Reihe, direkt nebeneinander',
  where: 'Wo, und bis zu welchem Preis?',
  bestSeats: 'Die besten freien Plätze',
  upTo: 'Bis {$price} pro Ticket',
  each: '{$price} pro Ticket',
  range: '{$from} bis {$to} pro Ticket',
  noneNow: 'gerade nichts frei',
  ticketsLeft:
    '.input {$count :integer} .match $count one {{noch {$count} Ticket}} * {{noch {$count} Tickets}}',
  seatsLeft: '.input {$count :integer} .match $count one {{noch {$count} Platz}} * {{noch {$count} Plätze}}',
  noSeatNumbers: 'Ohne Platznummern: freie Platzwahl vor Ort',
  reserveTickets:
    '.input {$count :integer} .match $count one {{{$count} Ticket reservieren · {$total}}} * {{{$count} Tickets reservieren · {$total}}}',
  reserveTicketsUpTo:
    '.input {$count :integer} .match $count one {{{$count} Ticket reservieren · bis {$total}}} * {{{$count} Tickets reservieren · bis {$total}}}',
  chooseMyself: 'Plätze selbst auswählen',
  byQuantity: 'Plätze finden lassen',
  holdTime: 'Wir halten sie {$time} für dich, während du bezahlst. Vorher wird nichts abgebucht.',
  takeFewer: '{$count} nehmen',
  takeTogether: '{$count} nebeneinander nehmen',
  takeApart: '{$count} an verschiedenen Stellen nehmen',
  takeAnyPrice: 'Bei jedem Preis suchen',
  notTogether: 'Es sind keine {$count :integer} Plätze nebeneinander frei.',
  notTogetherLongest:
    'Es sind keine {$count :integer} Plätze nebeneinander frei. Höchstens {$longest :integer} sind es.',
  stillYours: 'Deine Reservierung bleibt dir noch {$time}, bis du etwas anderes reservierst.',
  keepMine:
    '.input {$count :integer} .match $count one {{Meinen Platz behalten}} * {{Meine Plätze behalten}}',
  exchange:
    '.input {$count :integer} .match $count one {{Gegen {$count} Platz tauschen · {$total}}} * {{Gegen {$count} Plätze tauschen · {$total}}}',
  unitsHeld:
    '.input {$count :integer} .match $count one {{Dieses Ticket ist für dich reserviert}} * {{Diese {$count} Tickets sind für dich reserviert}}',
  fromWaitlist:
    'Tickets sind zurückgekommen, und du bist auf der Warteliste an der Reihe. Läuft die Zeit ab, bekommt sie der nächste Fan.',
  changeSeats: 'Andere auswählen',
  cardAsks: 'Die Bank fragt bei dir nach',
  payTitle: 'Bezahlen',
  payThere: 'Auf der Bezahlseite bezahlen',
  payThereHint:
    'Du gibst deine Karte auf der sicheren Seite des Zahlungsdienstes ein und kommst hierher zurück.',
  freeOfCharge: 'Diese Tickets kosten nichts',
  getTickets: 'Tickets holen',
  actionTitle: 'Deine Bank fragt bei dir nach',
  actionText: 'Bestätige die Zahlung auf der Seite deiner Bank. Danach kommst du hierher zurück.',
  actionGo: 'Zu meiner Bank',
  actionOther: 'Anders bezahlen',
  loadingForm: 'Das Zahlungsformular lädt…',
  formFailed:
    'Das Zahlungsformular ließ sich nicht laden. Prüfe deine Verbindung, oder schalte einen Blocker für diese Seite ab.',
  loadFormAgain: 'Noch einmal laden',
  yourSeats: 'Deine Plätze in {$section}',
}
