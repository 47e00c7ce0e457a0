import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  chooseSection: 'Choisissez un bloc',
  whatIsFree: 'Ce qui est libre',
  noneFreeNow: 'aucune place libre',
  noneFree: 'aucune libre',
  freeNumber: '{$count :integer} libres',
  freeSeats:
    '.input {$count :integer} .match $count one {{{$count} place libre}} * {{{$count} places libres}}',
  notPickable: 'vendu sans numéro de place, ce que cette page ne sait pas encore faire',
  allSections: 'Tous les blocs',
  loading: 'Chargement…',
  zoomIn: 'Agrandir',
  wholeSection: 'Tout le bloc',
  countsOnly:
    'Pour le moment, cette page sait seulement combien de places sont libres, pas lesquelles. Vous pouvez tout de même choisir : la page signale aussitôt une place déjà prise.',
  wheelchair: 'emplacement pour fauteuil roulant',
  companion: 'place pour accompagnant',
  available: 'libre',
  held: 'réservée par quelqu’un d’autre',
  sold: 'vendue',
  notForSale: 'pas en vente',
  unknown: 'peut-être libre',
  chosen: 'choisie par vous',
  leftAlone: 'resterait isolée',
  seatsOf: 'Places de {$section}. Les flèches déplacent, la barre d’espace choisit.',
  row: 'Rang',
  loadAgain: 'Recharger les places',
  putBack:
    '.input {$count :integer} .match $count one {{{$seat} retirée. {$count} place choisie.}} * {{{$seat} retirée. {$count} places choisies.}}',
  nowChosen: '{$seat} choisie. {$count :integer} sur {$limit :integer}.',
  limitReached:
    '.input {$limit :integer} .match $limit one {{Vous pouvez avoir {$limit} place. Retirez-la pour en choisir une autre.}} * {{Vous pouvez avoir {$limit} places. Retirez-en une pour en choisir une autre.}}',
  noMore: 'Vous avez déjà le maximum de billets par compte pour cet événement.',
  justTaken:
    '.input {$count :integer} .match $count one {{{$seats} vient d’être prise par quelqu’un d’autre.}} * {{{$seats} viennent d’être prises par quelqu’un d’autre.}}',
}
