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
  untilFree: 'Hasta que vuelva una entrada',
  allHeld:
    'Todas las entradas están reservadas por personas que aún pueden pagar. Alguna puede volver. Puedes esperar sin perder nada.',
  mayClose:
    'Puedes cerrar esta página: tu puesto se conserva en este dispositivo. Abrir la página dos veces no cambia tu puesto.',
  leave: 'Salir de la cola',
  leaveQuestion: '¿Salir de la cola? Pierdes tu puesto.',
  stay: 'Quedarme',
  leaveNow: 'Salir',

  howToCheckLater: 'Cómo comprobarlo después',
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
  seatsByPrice: 'Lo que queda por precio',
  around: 'hacia las {$time}',
  rateUnknown: 'La cola no ha avanzado últimamente, así que aún no hay estimación. Aparece en cuanto avance.',
  pausedWhy: 'El organizador ha parado la cola. Tu puesto no cambia, y la cola sigue por sí sola.',
  justDrawn: 'El sorteo está hecho. Tu puesto:',
  ofDrawn: 'de {$size :integer} sorteados',
  callMe: 'Avísame',
  callMeHow: 'Recibe un aviso y un correo unos cinco minutos antes de tu turno, y en tu turno.',
  willCall: 'Este dispositivo te avisará. Deja esta página abierta en segundo plano.',
  willCallClosed: 'Te avisaremos con una notificación y un correo, también con esta página cerrada.',
  willMail: 'Te avisaremos por correo.',
  doNotCall: 'No me avises',
  callBlocked: 'Tu navegador bloquea los avisos de esta página. Permítelos en sus ajustes y pulsa otra vez.',
  thanksForWaiting:
    'Algunas personas delante de ti no comprarán, y algunas entradas volverán. No pierdes nada por esperar.',
  mayNotReach: 'Puede que no haya entradas suficientes para tu puesto.',
  drawToCome: 'Decide un sorteo justo',
  fairDraw: 'Cómo te tocó tu puesto',
  notedHere:
    'Este dispositivo ha anotado el compromiso y tu llegada. Tras el sorteo, una pulsación aquí comprueba tu puesto.',
  checkMyPlace: 'Comprobar mi puesto',
  checkElsewhere: 'Comprobarlo sin esta página',
  checkingPlace: 'Tu navegador repite el sorteo de {$size :integer} personas…',
  cannotCheck: 'Este navegador no puede calcular el sorteo. Comprueba tu puesto sin esta página.',
  placeIsRight: 'Tu puesto es correcto.',
  placeIsWrong: 'Tu puesto no encaja con el sorteo. Guarda esta página y habla con el organizador.',
  sameAsNoted: 'El compromiso es el que este dispositivo anotó a las {$time}, antes del sorteo.',
  differsFromNoted: 'El compromiso no es el que este dispositivo anotó a las {$time}.',
  notNoted:
    'Este dispositivo no anotó ningún compromiso antes del sorteo. Compáralo con tu nota o con la de otra persona.',
  seedFits: 'El número publicado corresponde al compromiso: su SHA-256 es el mismo.',
  seedDiffers: 'El número publicado no corresponde al compromiso.',
  placeFits:
    'El sorteo de {$size :integer} personas, repetido en este dispositivo, te da el puesto {$computed :integer}.',
  placeDiffers:
    'El sorteo de {$size :integer} personas, repetido en este dispositivo, te da otro puesto: {$computed :integer}.',
  checkedOnDevice: 'Comprobado en mi propio dispositivo',
  shareCard: 'Compartir una tarjeta',
}
