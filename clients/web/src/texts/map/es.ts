import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  chooseSection: 'Elige un sector',
  whatIsFree: 'Lo que está libre',
  noneFreeNow: 'ninguno libre ahora',
  noneFree: 'ninguno libre',
  freeNumber: '{$count :integer} libres',
  freeSeats:
    '.input {$count :integer} .match $count one {{{$count} asiento libre}} * {{{$count} asientos libres}}',
  allSections: 'Todos los sectores',
  loading: 'Cargando…',
  zoomIn: 'Ampliar',
  wholeSection: 'Sector completo',
  countsOnly:
    'Por ahora esta página solo sabe cuántos asientos están libres, no cuáles. Puedes elegir igualmente: la página avisa enseguida si un asiento está ocupado.',
  wheelchair: 'espacio para silla de ruedas',
  companion: 'asiento de acompañante',
  available: 'libre',
  held: 'reservado por otra persona',
  sold: 'vendido',
  notForSale: 'no está a la venta',
  unknown: 'quizá libre',
  chosen: 'elegido por ti',
  leftAlone: 'quedaría solo',
  loadAgain: 'Cargar los asientos de nuevo',
  putBack:
    '.input {$count :integer} .match $count one {{{$seat}: devuelto. {$count} asiento elegido.}} * {{{$seat}: devuelto. {$count} asientos elegidos.}}',
  nowChosen: '{$seat}: elegido. {$count :integer} de {$limit :integer}.',
  limitReached:
    '.input {$limit :integer} .match $limit one {{Puedes tener {$limit} asiento. Devuélvelo para elegir otro.}} * {{Puedes tener {$limit} asientos. Devuelve uno para elegir otro.}}',
  noMore: 'Tienes tantas entradas para este evento como puede tener una cuenta.',
  justTaken:
    '.input {$count :integer} .match $count one {{Otra persona acaba de quedarse {$seats}.}} * {{Otras personas acaban de quedarse {$seats}.}}',
  seatsOf:
    'Asientos de {$section}. Las flechas mueven, la barra espaciadora elige, más y menos amplían y reducen.',
  zoomOut: 'Reducir',
  wholeHall: 'Toda la sala',
  hallMap:
    'Plano de la sala. Más y menos amplían y reducen, las flechas mueven. La lista de abajo tiene los mismos sectores.',
  sectionFree: '{$section}: {$free}',
  rowName: 'Fila {$row}',
  noRow: 'Asientos sin fila',
  seatsByRow: 'Asientos por fila',
  sections: 'Sectores',
  STAGE: 'Escenario',
  SCREEN: 'Pantalla',
  FIELD: 'Campo',
  MIDDLE: 'Centro de la sala',
  moreFree: 'Cuanto más intenso el color, más asientos libres hay.',
  palerSections: 'Los colores son los precios. Cuanto más pálido es un sector, menos asientos libres tiene.',
  sideBySide: 'El plano no dice dónde están los sectores: se dibujan uno al lado del otro.',
  showOnly: 'Mostrar solo',
  showAll: 'Mostrar todo',
  wheelchairs: 'Silla de ruedas',
  together: 'Asientos juntos',
  togetherAny: 'Cualquier asiento',
  togetherCount: '{$count :integer} juntos',
  matchingSections:
    '.input {$count :integer} .match $count one {{{$count} sector puede tener esos asientos.}} * {{{$count} sectores pueden tener esos asientos.}}',
  matchingSeats:
    '.input {$count :integer} .match $count one {{{$count} asiento libre coincide.}} * {{{$count} asientos libres coinciden.}}',
  noMatch: 'Aquí no coincide ningún asiento libre.',
}
