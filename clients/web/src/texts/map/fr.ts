import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  chooseSection: 'Choisissez un bloc',
  whatIsFree: 'Ce qui est libre',
  noneFreeNow: 'aucune place libre',
  noneFree: 'aucune libre',
  freeNumber: '{$count :integer} libres',
  freeSeats:
    '.input {$count :integer} .match $count one {{{$count} place libre}} * {{{$count} places libres}}',
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
  loadAgain: 'Recharger les places',
  putBack:
    '.input {$count :integer} .match $count one {{{$seat} retirée. {$count} place choisie.}} * {{{$seat} retirée. {$count} places choisies.}}',
  nowChosen: '{$seat} choisie. {$count :integer} sur {$limit :integer}.',
  limitReached:
    '.input {$limit :integer} .match $limit one {{Vous pouvez avoir {$limit} place. Retirez-la pour en choisir une autre.}} * {{Vous pouvez avoir {$limit} places. Retirez-en une pour en choisir une autre.}}',
  noMore: 'Vous avez déjà le maximum de billets par compte pour cet événement.',
  justTaken:
    '.input {$count :integer} .match $count one {{{$seats} vient d’être prise par quelqu’un d’autre.}} * {{{$seats} viennent d’être prises par quelqu’un d’autre.}}',
  seatsOf:
    'Places de {$section}. Les flèches déplacent, la barre d’espace choisit, plus et moins agrandissent et réduisent.',
  zoomOut: 'Réduire',
  wholeHall: 'Toute la salle',
  hallMap:
    'Plan de la salle. Plus et moins agrandissent et réduisent, les flèches déplacent. La liste ci-dessous contient les mêmes blocs.',
  sectionFree: '{$section} : {$free}',
  rowName: 'Rang {$row}',
  noRow: 'Places sans rang',
  seatsByRow: 'Places par rang',
  sections: 'Blocs',
  STAGE: 'Scène',
  SCREEN: 'Écran',
  FIELD: 'Terrain',
  MIDDLE: 'Milieu de la salle',
  moreFree: 'Plus la couleur est soutenue, plus il y a de places libres.',
  palerSections: 'Les couleurs sont les prix. Plus un bloc est pâle, moins il a de places libres.',
  sideBySide: 'Le plan ne dit pas où se trouvent les blocs : ils sont dessinés côte à côte.',
  showOnly: 'Afficher seulement',
  showAll: 'Tout afficher',
  wheelchairs: 'Fauteuil roulant',
  together: 'Places côte à côte',
  togetherAny: 'Toutes les places',
  togetherCount: '{$count :integer} côte à côte',
  matchingSections:
    '.input {$count :integer} .match $count one {{{$count} bloc a peut-être de telles places.}} * {{{$count} blocs ont peut-être de telles places.}}',
  matchingSeats:
    '.input {$count :integer} .match $count one {{{$count} place libre correspond.}} * {{{$count} places libres correspondent.}}',
  noMatch: 'Aucune place libre ne correspond ici.',
}
