import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  chooseSection: 'Wähle einen Block',
  whatIsFree: 'Was frei ist',
  noneFreeNow: 'gerade keiner frei',
  noneFree: 'keiner frei',
  freeNumber: '{$count :integer} frei',
  freeSeats: '.input {$count :integer} .match $count one {{{$count} Platz frei}} * {{{$count} Plätze frei}}',
  allSections: 'Alle Blöcke',
  loading: 'Wird geladen …',
  zoomIn: 'Vergrößern',
  wholeSection: 'Ganzer Block',
  countsOnly:
    'Gerade weiß diese Seite nur, wie viele Plätze frei sind, nicht welche. Du kannst trotzdem auswählen: Die Seite meldet sofort, wenn ein Platz vergeben ist.',
  wheelchair: 'Rollstuhlplatz',
  companion: 'Platz für die Begleitung',
  available: 'frei',
  held: 'von einem anderen Fan reserviert',
  sold: 'verkauft',
  notForSale: 'nicht im Verkauf',
  unknown: 'vielleicht frei',
  chosen: 'von dir ausgewählt',
  leftAlone: 'bliebe allein übrig',
  loadAgain: 'Plätze noch einmal laden',
  putBack:
    '.input {$count :integer} .match $count one {{{$seat} zurückgelegt. {$count} Platz ausgewählt.}} * {{{$seat} zurückgelegt. {$count} Plätze ausgewählt.}}',
  nowChosen: '{$seat} ausgewählt. {$count :integer} von {$limit :integer}.',
  limitReached:
    '.input {$limit :integer} .match $limit one {{Du kannst {$limit} Platz haben. Lege ihn zurück, um einen anderen auszuwählen.}} * {{Du kannst {$limit} Plätze haben. Lege einen zurück, um einen anderen auszuwählen.}}',
  noMore: 'Du hast so viele Tickets für diese Veranstaltung, wie ein Konto haben kann.',
  justTaken:
    '.input {$count :integer} .match $count one {{{$seats} wurde gerade von einem anderen Fan genommen.}} * {{{$seats} wurden gerade von anderen Fans genommen.}}',
  seatsOf:
    'Plätze in {$section}. Pfeiltasten bewegen, die Leertaste wählt aus, Plus und Minus ändern die Größe.',
  zoomOut: 'Verkleinern',
  wholeHall: 'Ganzer Saal',
  hallMap:
    'Plan des Saals. Plus und Minus ändern die Größe, Pfeiltasten bewegen. Die Liste darunter hat dieselben Blöcke.',
  sectionFree: '{$section}: {$free}',
  rowName: 'Reihe {$row}',
  noRow: 'Plätze ohne Reihe',
  seatsByRow: 'Plätze nach Reihen',
  sections: 'Blöcke',
  STAGE: 'Bühne',
  SCREEN: 'Leinwand',
  FIELD: 'Spielfeld',
  MIDDLE: 'Mitte des Saals',
  moreFree: 'Je kräftiger die Farbe, desto mehr Plätze sind frei.',
  palerSections: 'Die Farben sind die Preise. Je blasser ein Block, desto weniger Plätze sind dort frei.',
  sideBySide: 'Der Plan sagt nicht, wo die Blöcke liegen: Sie sind nebeneinander gezeichnet.',
  showOnly: 'Nur zeigen',
  showAll: 'Alle zeigen',
  wheelchairs: 'Rollstuhl',
  together: 'Plätze nebeneinander',
  togetherAny: 'Beliebige Plätze',
  togetherCount: '{$count :integer} nebeneinander',
  matchingSections:
    '.input {$count :integer} .match $count one {{{$count} Block hat vielleicht solche Plätze.}} * {{{$count} Blöcke haben vielleicht solche Plätze.}}',
  matchingSeats:
    '.input {$count :integer} .match $count one {{{$count} freier Platz passt.}} * {{{$count} freie Plätze passen.}}',
  noMatch: 'Hier passt kein freier Platz.',
}
