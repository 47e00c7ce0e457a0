import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  inLine: 'Estás en la cola',
  drawnLater: 'Todos los puestos se sortean cuando abre la venta. Entonces esta página muestra el tuyo.',
  yourPlace: 'Tu puesto en la cola',
  yourTurn: 'Es tu turno. Un momento…',
  ahead: 'Delante de ti',
  noneAhead: 'Nadie: eres el siguiente',
  people: '.input {$count :integer} .match $count one {{{$count} persona}} * {{{$count} personas}}',
  yourWait: 'Tu espera',
  waitPaused: 'La cola está en pausa un momento',
  waitUnknown: 'No se sabe ahora',
  anyMoment: 'En cualquier momento',
  untilFree: 'Hasta que quede libre un asiento',
  seats: 'Asientos',
  seatsFree:
    '.input {$count :integer} .match $count one {{{$count} asiento libre}} * {{{$count} asientos libres}}',
  seatsFreeHeld:
    '.input {$count :integer} .match $count one {{{$count} asiento libre, {$held :integer} reservados}} * {{{$count} asientos libres, {$held :integer} reservados}}',
  allHeld:
    'Todos los asientos están reservados por personas que aún pueden pagar. Alguno puede quedar libre. Puedes esperar sin perder nada.',
  mayNotReach:
    'Puede que no haya asientos suficientes para tu puesto. Puedes esperar: algunas personas delante de ti no comprarán.',
  mayClose:
    'Puedes cerrar esta página: tu puesto se conserva en este dispositivo. Abrir la página dos veces no cambia tu puesto.',
  leave: 'Salir de la cola',
  leaveQuestion: '¿Salir de la cola? Pierdes tu puesto.',
  stay: 'Quedarme',
  leaveNow: 'Salir',

  howToCheckLater: 'Cómo comprobarlo después',
  checkDraw: 'Comprobar el sorteo',
  noteNow:
    'Anota ahora el compromiso y tu llegada. El compromiso corresponde a un número secreto elegido antes de abrir la cola. El número se publica en el sorteo, y cualquiera puede calcular entonces todos los puestos.',
  computeYourself:
    'La semilla es el número que corresponde al compromiso, y cada puesto se deduce de estos datos. Esta orden del programa de Fairgate calcula tu puesto y lo compara. También puedes calcularlo por tu cuenta:',
  event: 'Evento',
  yourArrival: 'Tu llegada',
  place: 'Tu puesto',
  inDraw: 'En el sorteo',
  commitment: 'Compromiso',
  seed: 'Semilla',
  randomnessFrom: 'Azar público de',
  randomness: 'Azar público',
  joinedBefore:
    'Llegaste en el número {$arrival :integer}. Cuando abra la venta, todas las personas que estén en la cola quedan en un orden al azar. No importa quién llegó antes.',
  noDraw:
    'Llegaste en el número {$arrival :integer}. Nadie llegó antes de la apertura, así que no hubo sorteo.',
  joinedAfter:
    'Llegaste en el número {$arrival :integer}. Las {$size :integer} personas que llegaron antes de la apertura se sortearon primero. Tú vas después de ellas, por orden de llegada.',
  waitsForRandomness:
    'Llegaste en el número {$arrival :integer}. El sorteo tiene {$size :integer} personas y espera el azar público: {$source}.',
  drawInProgress: 'Llegaste en el número {$arrival :integer}. El sorteo está en marcha.',
  drawn:
    'Llegaste en el número {$arrival :integer}. En el sorteo obtuviste el puesto {$place :integer} de {$size :integer}.',
}
