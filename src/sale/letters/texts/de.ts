import type { Texts } from './en.ts'

export const de: Texts = {
  confirmedSubject:
    '.input {$count :integer}\n.match $count\none {{Dein Ticket für {$event}}}\n* {{Deine {$count} Tickets für {$event}}}',
  confirmedHeading: 'Deine Bestellung ist bestätigt',
  confirmedText:
    '.input {$count :integer}\n.match $count\none {{Dein Ticket hängt als PDF-Datei an dieser Mail. Drucke es aus oder zeige es auf deinem Handy.}}\n* {{Deine Tickets hängen als PDF-Datei an dieser Mail, jedes auf einer eigenen Seite. Drucke sie aus oder zeige sie auf deinem Handy.}}',
  confirmedTextLink:
    '.input {$count :integer}\n.match $count\none {{Dein Ticket findest du auf der Seite deiner Bestellung.}}\n* {{Deine Tickets findest du auf der Seite deiner Bestellung.}}',
  cancelledSubject: 'Deine Bestellung für {$event} ist storniert',
  cancelledHeading: 'Deine Bestellung ist storniert',
  cancelledText:
    'Deine Bestellung ist storniert. Ihre Tickets gelten nicht mehr, und niemand wird mit ihnen eingelassen.',
  moneyBack:
    'Du zahlst nichts. Wenn deine Bank eine Zahlung oder Reservierung von {$total} anzeigt, kommt das Geld von selbst zurück.',
  seatsGoneSubject: 'Keine Tickets für {$event}: Die Plätze waren nicht mehr frei',
  seatsGoneHeading: 'Die Plätze waren nicht mehr frei',
  seatsGoneText:
    'Deine Zahlung wurde nicht rechtzeitig genehmigt, deshalb gehören dir die Plätze nicht mehr. Aus dieser Bestellung hast du keine Tickets.',
  refundOwedSubject: 'Deine Erstattung von {$amount} für {$event} läuft',
  refundOwedHeading: 'Du bekommst {$amount} zurück',
  refundOwedWhole:
    'Deine Bestellung ist storniert. Ihre Tickets gelten nicht mehr: der Einlass weist sie ab.',
  refundOwedPart:
    'Ein Teil deiner Bestellung wird erstattet. Erstattete Tickets gelten nicht mehr; die anderen gelten weiter.',
  refundOwedNext:
    'Du musst nichts tun. Sobald der Zahlungsdienst das Geld zurückgegeben hat, schreiben wir dir noch einmal.',
  refundedSubject: 'Erstattung von {$amount} für {$event}',
  refundedHeading: 'Wir haben dir {$amount} erstattet',
  refundedWhole: 'Deine ganze Bestellung ist erstattet. Ihre Tickets gelten nicht mehr.',
  refundedPart:
    'Ein Teil deiner Bestellung ist erstattet: bisher {$refunded} von {$total}. Erstattete Tickets gelten nicht mehr; die anderen gelten weiter.',
  refundedWait:
    'Das Geld geht auf die Karte oder das Konto zurück, womit du bezahlt hast. Deine Bank zeigt es vielleicht erst nach zehn Tagen an.',
  offerSubject:
    '.input {$count :integer}\n.match $count\none {{1 Ticket für {$event}, für dich reserviert}}\n* {{{$count} Tickets für {$event}, für dich reserviert}}',
  offerHeading: 'Du bist auf der Warteliste an der Reihe',
  offerText:
    '.input {$count :integer}\n.match $count\none {{1 Ticket für {$event} ist zurückgekommen. Es ist für dich reserviert bis {$until} ({$timeZone}).}}\n* {{{$count} Tickets für {$event} sind zurückgekommen. Sie sind für dich reserviert bis {$until} ({$timeZone}).}}',
  offerHow:
    'Sieh dir das Angebot auf der Seite der Veranstaltung an und bezahle es dort. Melde dich so an wie beim Eintrag in die Warteliste.',
  offerEnd: 'Ein Angebot, das bis dahin nicht bezahlt ist, geht an den nächsten Fan, und dein Eintrag endet.',
  soonSubject: 'Du bist in etwa fünf Minuten an der Reihe: {$event}',
  soonHeading: 'Noch etwa fünf Minuten',
  soonText: 'Öffne jetzt die Seite der Veranstaltung auf dem Gerät, das deinen Platz in der Schlange hat.',
  turnSubject: 'Du bist an der Reihe: {$event}',
  turnHeading: 'Du bist an der Reihe',
  turnText:
    '.input {$count :integer}\n.match $count\none {{Komm innerhalb einer Minute herein, auf dem Gerät, das deinen Platz in der Schlange hat.}}\n* {{Komm innerhalb von {$count} Minuten herein, auf dem Gerät, das deinen Platz in der Schlange hat.}}',
  turnEnd: 'Danach geht dein Platz an den nächsten Fan.',
  seeEvent: 'Veranstaltung öffnen',
  alertFooter:
    'Diese Mail wurde automatisch gesendet, weil du gerufen werden wolltest, sobald du an der Reihe bist.',
  seeOrder: 'Bestellung ansehen',
  seeOffer: 'Angebot ansehen',
  event: 'Veranstaltung',
  performers: 'Mit',
  date: 'Datum',
  venue: 'Ort',
  order: 'Bestellung',
  total: 'Summe',
  tickets: 'Tickets',
  section: 'Block',
  row: 'Reihe',
  seat: 'Platz',
  generalAdmission: 'Freie Platzwahl',
  price: 'Preis',
  fee: 'darin eine Gebühr von {$fee}',
  placed: '{$section} · Reihe {$row}, Platz {$seat}',
  placedFreely: '{$section} · Freie Platzwahl',
  ticketOf: 'Ticket {$index} von {$count}',
  ticketNumber: 'Ticket',
  ticketsTitle: 'Tickets für {$event}',
  code: 'QR-Code des Tickets {$ticket}',
  terms: 'Bedingungen',
  term1:
    'Der QR-Code gilt für eine Person und einen Einlass. Wer ihn zuerst zeigt, wird eingelassen; eine Kopie wird abgewiesen.',
  term2: 'Halte den Code geheim: Veröffentliche nie ein Bild von ihm.',
  term3: 'Wird die Bestellung erstattet oder storniert, gilt dieses Ticket nicht mehr.',
  footer:
    'Diese Mail wurde automatisch verschickt, weil eine Bestellung oder ein Eintrag in einer Warteliste diese Adresse nennt.',
}
