import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  yourChoice: 'Tu elección',
  nothingYet:
    '.input {$limit :integer} .match $limit one {{Nada todavía. Puedes elegir {$limit} asiento y luego reservarlo mientras pagas.}} * {{Nada todavía. Puedes elegir hasta {$limit} asientos y luego reservarlos mientras pagas.}}',
  seatsChosen:
    '.input {$count :integer} .match $count one {{{$count} asiento elegido}} * {{{$count} asientos elegidos}}',
  putBack: 'Devolver {$seat}',
  paused: 'La venta está en pausa. Puedes mirar ahora y reservar cuando siga.',
  reserve:
    '.input {$count :integer} .match $count one {{Reservar {$count} asiento · {$total}}} * {{Reservar {$count} asientos · {$total}}}',
  keptFor:
    '.input {$count :integer} .match $count one {{Te lo reservamos {$time} mientras pagas.}} * {{Te los reservamos {$time} mientras pagas.}}',

  seatsTaken: 'Otra persona fue más rápida. No tienes asientos reservados; elige otra vez.',
  namedSeatsTaken:
    '.input {$count :integer} .match $count one {{Otra persona fue más rápida: {$seats} está ocupado. No tienes asientos reservados; elige otra vez.}} * {{Otra persona fue más rápida: {$seats} están ocupados. No tienes asientos reservados; elige otra vez.}}',
  takenButHeld: 'Otra persona fue más rápida: {$seats}. Tu reserva sigue siendo tuya.',
  ownSeats: 'Ya tienes reservado: {$seats}.',
  exchangeOwn: 'Cambiar mis asientos por estos',
  showOwn: 'Ver lo que tengo reservado',
  notEnough:
    '.input {$count :integer} .match $count one {{Ahora solo se puede reservar {$count} entrada de este tipo. No tienes entradas reservadas.}} * {{Ahora solo se pueden reservar {$count} entradas de este tipo. No tienes entradas reservadas.}}',
  orphan: 'Tu elección dejaría un asiento suelto al lado. Muévela un asiento.',
  namedOrphan: 'Tu elección dejaría un asiento suelto al lado ({$seats}). Muévela un asiento.',
  wheelchairRequired:
    'Un asiento de acompañante solo se vende junto con su espacio para silla de ruedas. Elígelo también.',
  heldTooOften: 'Has reservado entradas demasiadas veces en poco tiempo.',
  deviceHoldsAll:
    'Las cuentas de este dispositivo tienen reservadas tantas entradas como puede un dispositivo.',
  addressHoldsAll:
    'Las personas de tu conexión tienen reservadas tantas entradas como puede una conexión. También puedes probar con otra red.',
  notOpen: 'La venta aún no está abierta. Abre {$when}.',
  salePaused: 'La venta está en pausa un momento.',

  declined: '{$why} No se ha cobrado nada, y tus entradas siguen reservadas: prueba con otra tarjeta.',
  noFunds: 'No hay saldo suficiente en la tarjeta.',
  cardExpired: 'La tarjeta ha caducado.',
  notAuthenticated: 'El banco no pudo confirmar que eres tú.',
  bankTryLater: 'El banco no respondió; la misma tarjeta puede funcionar en un momento.',
  bankDeclined: 'El banco rechazó el pago.',

  timeOver: 'Tu tiempo para pagar ha terminado. Las entradas vuelven a estar a la venta.',
  timeOverNoMoney:
    'Tu tiempo para pagar ha terminado, y las entradas vuelven a estar a la venta. No se ha cobrado nada.',
  orderRefunded: 'El pedido se ha reembolsado y sus entradas ya no son válidas. El dinero vuelve a ti.',
  orderCancelledLate: 'El pago no se pudo completar, así que el pedido se canceló.',
  orderCancelled:
    'El pedido se canceló, y no nos quedamos con ningún dinero. Las entradas vuelven a estar a la venta.',
  noLongerYours: 'Estas entradas ya no son tuyas. No se ha cobrado nada.',
  noLongerHeld: 'Estas entradas ya no están reservadas para ti. No se ha cobrado nada.',
  checkoutBusy:
    'Hay muchísima gente pagando en este momento. Tus entradas siguen reservadas; inténtalo de nuevo en un momento.',
  beingPaid: 'Estas entradas se están pagando. Espera el resultado.',
  backOnSale: 'Las entradas vuelven a estar a la venta.',

  heldForYou:
    '.input {$count :integer} .match $count one {{Este asiento está reservado para ti}} * {{Estos {$count} asientos están reservados para ti}}',
  total: 'Total con gastos',
  sandboxCard: 'Pagar con una tarjeta de prueba',
  noRealCard: 'No hace falta una tarjeta real, y no se cobra nada.',
  cardYes: 'El banco dice que sí',
  cardNo: 'Rechazada: no hay saldo',
  cardSlow: 'Aceptada, pero el banco es lento',
  paying: 'El banco está tramitando tu pago. Espera aquí, y no pagues otra vez.',
  pay: 'Pagar {$total}',
  giveBack: '.input {$count :integer} .match $count one {{Devolver la entrada}} * {{Devolver las entradas}}',
  giveBackQuestion:
    '.input {$count :integer} .match $count one {{¿Devolver la entrada? Otras personas podrán comprarla.}} * {{¿Devolver las entradas? Otras personas podrán comprarlas.}}',
  keep: '.input {$count :integer} .match $count one {{Conservar la entrada}} * {{Conservar las entradas}}',
  giveBackNow: 'Devolver',
  leftToPay: 'para pagar',
  timeLeftToPay: 'Quedan {$time} para pagar',
  timeLeftToPayNow: 'Quedan {$time} para pagar.',
  timeIsOver:
    '.input {$count :integer} .match $count one {{El tiempo ha terminado. Aún puedes pagar si nadie más ha tomado la entrada.}} * {{El tiempo ha terminado. Aún puedes pagar si nadie más ha tomado las {$count} entradas.}}',

  reserveBlock: 'Reservar {$seats} · {$total}',
  heldBefore: 'Antes tenías reservado: {$seats}',
  again: 'Reservar lo mismo otra vez',
  howMany: '¿Cuántas entradas?',
  howManyInstead: '¿Cuántas entradas en su lugar?',
  fewer: 'Una entrada menos',
  more: 'Una entrada más',
  limit:
    '.input {$count :integer} .match $count one {{{$count} entrada como máximo}} * {{{$count} entradas como máximo}}',
  together: 'Juntas',
  togetherHint: 'En una misma fila, una al lado de la otra',
  where: '¿Dónde y hasta qué precio?',
  bestSeats: 'Los mejores asientos libres',
  upTo: 'Hasta {$price} por entrada',
  each: '{$price} por entrada',
  range: 'De {$from} a {$to} por entrada',
  noneNow: 'nada libre ahora',
  ticketsLeft:
    '.input {$count :integer} .match $count one {{queda {$count} entrada}} * {{quedan {$count} entradas}}',
  seatsLeft:
    '.input {$count :integer} .match $count one {{queda {$count} asiento}} * {{quedan {$count} asientos}}',
  noSeatNumbers: 'Sin asiento numerado: elige tu sitio allí',
  reserveTickets:
    '.input {$count :integer} .match $count one {{Reservar {$count} entrada · {$total}}} * {{Reservar {$count} entradas · {$total}}}',
  reserveTicketsUpTo:
    '.input {$count :integer} .match $count one {{Reservar {$count} entrada · hasta {$total}}} * {{Reservar {$count} entradas · hasta {$total}}}',
  chooseMyself: 'Elegir los asientos yo',
  byQuantity: 'Que busquemos asientos',
  holdTime: 'Te los guardamos durante {$time} mientras pagas. Antes no se cobra nada.',
  takeFewer: 'Tomar {$count}',
  takeTogether: 'Tomar {$count} juntas',
  takeApart: 'Tomar {$count} en varios sitios',
  takeAnyPrice: 'Buscar en todos los precios',
  notTogether: 'No hay {$count :integer} asientos juntos libres.',
  notTogetherLongest: 'No hay {$count :integer} asientos juntos libres. Como mucho hay {$longest :integer}.',
  stillYours: 'Tu reserva sigue siendo tuya durante {$time}, hasta que reserves otra cosa.',
  keepMine:
    '.input {$count :integer} .match $count one {{Quedarme con mi entrada}} * {{Quedarme con mis entradas}}',
  exchange:
    '.input {$count :integer} .match $count one {{Cambiar por {$count} asiento · {$total}}} * {{Cambiar por {$count} asientos · {$total}}}',
  unitsHeld:
    '.input {$count :integer} .match $count one {{Esta entrada está reservada para ti}} * {{Estas {$count} entradas están reservadas para ti}}',
  fromWaitlist:
    'Han vuelto entradas y te toca en la lista de espera. Cuando se acabe el tiempo, pasan al siguiente fan.',
  changeSeats: 'Elegir otros',
  cardAsks: 'El banco te pide confirmar',
  payTitle: 'Pagar',
  payThere: 'Pagar en la página de pago',
  payThereHint: 'Introduces tu tarjeta en la página segura del servicio de pago y vuelves aquí.',
  freeOfCharge: 'Estas entradas son gratis',
  getTickets: 'Obtener las entradas',
  actionTitle: 'Tu banco te pide que confirmes',
  actionText: 'Confirma el pago en la página de tu banco. Después vuelves aquí.',
  actionGo: 'Ir a mi banco',
  actionOther: 'Pagar de otra forma',
  loadingForm: 'Cargando el formulario de pago…',
  formFailed:
    'No se pudo cargar el formulario de pago. Comprueba tu conexión o desactiva un bloqueador en esta página.',
  loadFormAgain: 'Cargarlo de nuevo',
  yourSeats: 'Tus asientos en {$section}',
}
