import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  chooseSection: 'Elige un sector',
  whatIsFree: 'Lo que está libre',
  noneFreeNow: 'ninguno libre ahora',
  noneFree: 'ninguno libre',
  freeNumber: '{$count :integer} libres',
  freeSeats:
    '.input {$count :integer} .match $count one {{{$count} asiento libre}} * {{{$count} asientos libres}}',
  notPickable: 'se vende sin número de asiento, y esta página aún no puede hacerlo',
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
  seatsOf: 'Asientos de {$section}. Las flechas mueven, la barra espaciadora elige.',
  row: 'Fila',
  loadAgain: 'Cargar los asientos de nuevo',
  putBack:
    '.input {$count :integer} .match $count one {{{$seat}: devuelto. {$count} asiento elegido.}} * {{{$seat}: devuelto. {$count} asientos elegidos.}}',
  nowChosen: '{$seat}: elegido. {$count :integer} de {$limit :integer}.',
  limitReached:
    '.input {$limit :integer} .match $limit one {{Puedes tener {$limit} asiento. Devuélvelo para elegir otro.}} * {{Puedes tener {$limit} asientos. Devuelve uno para elegir otro.}}',
  noMore: 'Tienes tantas entradas para este evento como puede tener una cuenta.',
  justTaken:
    '.input {$count :integer} .match $count one {{Otra persona acaba de quedarse {$seats}.}} * {{Otras personas acaban de quedarse {$seats}.}}',
}
