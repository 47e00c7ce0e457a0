import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  title: 'Entradas',
  titlePlace: 'N.º {$place :integer}',
  titleTurn: 'Tu turno',
  loading: 'Cargando el evento',
  missing: 'Este evento no existe',
  missingHint: 'Revisa la dirección: puede que falte una parte.',
  unreachable: 'La taquilla no responde',
  unreachableHint:
    'Tu puesto en la cola se conserva aunque cierres esta página. Inténtalo de nuevo en un momento.',
  tryAgain: 'Intentar de nuevo',
  oneMoment: 'Un momento…',
  dismiss: 'Cerrar',
  language: 'Idioma',

  noConnection: 'Sin conexión.',
  noConnectionHint: 'Esta página lo vuelve a intentar por sí sola.',
  connected: 'La conexión ha vuelto.',
  connectionLost: 'Se ha perdido la conexión.',
  meanwhileLine: 'Tu puesto en la cola se conserva.',
  meanwhileSeats: 'Lo que has elegido aún no está reservado: otra persona puede quedárselo.',
  meanwhilePay: 'Tus entradas están reservadas hasta que acabe tu tiempo para pagar.',

  noAnswer: 'No hubo respuesta. Revisa tu conexión e inténtalo de nuevo.',
  brokenPage: 'Algo ha fallado en esta página. Vuelve a cargarla.',
  signInExpired:
    'Tu sesión ha caducado. Inicia sesión de nuevo para ver tu puesto, tus asientos y tus entradas.',
  timeToChooseOver: 'Tu tiempo para elegir ha terminado. Ponte en la cola otra vez.',
  crowded: 'Hay muchísima gente en este momento. {$retry}',
  ourFault: 'Algo ha fallado por nuestra parte. Inténtalo de nuevo.',
  ourFaultNumber:
    'Algo ha fallado por nuestra parte. Inténtalo de nuevo. Si vuelve a ocurrir, escríbenos con este número: {$number}',
  retryLater: 'Inténtalo más tarde.',
  retryIn:
    '.input {$count :integer} .match $count one {{Inténtalo de nuevo en {$count} segundo.}} * {{Inténtalo de nuevo en {$count} segundos.}}',
  startedAgain:
    'Esta venta ha empezado de nuevo: los puestos en la cola y los asientos anteriores ya no valen.',

  signedInAs: 'Sesión iniciada en el entorno de pruebas como {$name}.',
  myTickets: 'Mis entradas',
  signOut: 'Cerrar sesión',
  accountName: 'Nombre de la cuenta',
  accountNameRule: 'Al menos una letra o una cifra',
  sandboxSignIn:
    'Este es el acceso del entorno de pruebas: vale cualquier nombre y no se comprueba nada. En una venta real usas tu cuenta de entradas.',
  signInElsewhere:
    'Este servicio usa las cuentas de un proveedor de identidad: inicia sesión allí. El acceso del entorno de pruebas está desactivado.',
  ticketCount: '.input {$count :integer} .match $count one {{{$count} entrada}} * {{{$count} entradas}}',
  seatCount: '.input {$count :integer} .match $count one {{{$count} asiento}} * {{{$count} asientos}}',
  seatName: 'Fila {$row}, asiento {$number}',
  timeToChoose: 'Tiempo restante para elegir',
  toChoose: '{$time} para elegir',
  toPay: '{$time} para pagar',

  days: '.input {$count :integer} .match $count one {{{$count} día}} * {{{$count} días}}',
  about: 'Aproximadamente {$time}',
  underMinute: 'Menos de un minuto',
  atTime: 'a las {$time}',
  onDay: 'el {$time}',
  dateAndTime: '{$date}, {$time}',
  ourClock: '{$time}, según nuestro reloj y no el de tu dispositivo',

  theSale: 'La venta',
  lineOpensIn: 'La cola abre en',
  saleOpensIn: 'La venta abre en',
  onSaleLater: 'La venta empieza {$when}. Vuelve cuando abra la cola para ocupar tu puesto.',
  lineIsOpen: 'Ya puedes ponerte en la cola. Verás tu puesto cuando abra la venta.',
  joinLine: 'Ponerme en la cola',
  joining: 'Un momento…',
  chooseSeats: 'Elegir asientos',
  chooseTickets: 'Elegir entradas',
  onSaleNow: 'A la venta ahora',
  turnEnded: 'Tu turno ha terminado.',
  turnEndedWhat: 'Tu turno terminó antes de que reservaras entradas.',
  turnEndedNext: 'Puedes ponerte en la cola otra vez.',
  seatsFree:
    '.input {$count :integer} .match $count one {{Queda {$count} entrada.}} * {{Quedan {$count} entradas.}}',
  noneFree:
    '.input {$held :integer} .match $held one {{Ahora no hay entradas libres. {$held} entrada está reservada sin pagar y puede volver.}} * {{Ahora no hay entradas libres. {$held} entradas están reservadas sin pagar y pueden volver.}}',
  waiting:
    '.input {$count :integer} .match $count one {{{$count} persona espera en la cola.}} * {{{$count} personas esperan en la cola.}}',
  allTickets:
    '.input {$count :integer} .match $count one {{Tienes {$count} entrada, el máximo por cuenta.}} * {{Tienes {$count} entradas, el máximo por cuenta.}}',
  paused: 'La venta está en pausa',
  pausedHint:
    'No tienes que hacer nada: esta página sigue por sí sola cuando siga la venta. Los puestos en la cola se conservan, y puedes pagar los asientos reservados.',
  soldOut: 'Agotado',
  soldOutYours:
    '.input {$count :integer} .match $count 0 {{No queda ninguna entrada: cada una se vendió una sola vez. Gracias por esperar con nosotros.}} one {{Todas las entradas están vendidas, y una es tuya.}} * {{Todas las entradas están vendidas, y {$count} son tuyas.}}',
  ended: 'La venta ha terminado',
  endedHint: 'Las entradas para este evento ya no se venden aquí.',
  seeMyTickets: 'Ver mis entradas',
  prices: 'Precios',
  feesIncluded: 'Gastos incluidos.',
  seatsInAll:
    '.input {$count :integer} .match $count one {{{$count} entrada en total.}} * {{{$count} entradas en total.}}',

  checking: 'Comprobamos que no eres un programa.',
  checkingTakes: 'Tu navegador calcula unos segundos. No tienes que hacer nada.',
  lineNotOpen: 'La cola aún no está abierta. Abre {$when}.',
  moveHere: 'Traer mi puesto aquí',
  notVerified:
    'El correo de tu cuenta aún no está verificado. Abre el enlace del correo de verificación y vuelve.',
  challengeFailed:
    'Esta venta comprueba que no eres un programa, y este navegador no pudo hacerlo. Actualízalo, o prueba con otro.',
  saleEnded: 'La venta ha terminado.',
  everySeatSold: 'Todas las entradas están vendidas.',
  yourTurnNow: 'Es tu turno. Elige tus entradas.',
  inTheLine: 'Estás en la cola. El orden se sortea cuando abre la venta.',
  numberInLine: 'Eres el número {$place :integer} de la cola.',
  linePaused: 'La cola está en pausa.',
  lineMoves: 'La cola vuelve a avanzar.',
  leftLine: 'Has salido de la cola.',

  onWaitlist:
    '.input {$count :integer} .match $count one {{Estás en la lista de espera para {$count} entrada}} * {{Estás en la lista de espera para {$count} entradas}}',
  youAreNext: 'Ya te toca.',
  aheadOnWaitlist:
    '.input {$count :integer} .match $count one {{{$count} persona está delante de ti.}} * {{{$count} personas están delante de ti.}}',
  waitlistHint:
    'Cuando vuelvan entradas adecuadas, te las reservamos un rato. Esta página las muestra, y recibes un correo.',
  leaveWaitlist: 'Salir de la lista de espera',
  joinWaitlist: 'Entrar en la lista de espera',
  waitForReturned: 'Esperar entradas devueltas',
  entryEnded: 'Tu inscripción en la lista de espera ha terminado:',
  entryEndedWhy:
    'la oferta pasó a la siguiente persona, o la venta ha terminado. Mientras dure la venta, puedes apuntarte otra vez al final.',
  waitlistHow:
    'A veces se cancela un pedido. Sus entradas se ofrecen a la lista de espera, por orden de inscripción.',
  ticketsWanted: 'Entradas',
  acceptFewer: 'Acepto menos si no vuelven suficientes entradas',
  nowOnWaitlist: 'Estás en la lista de espera.',
  leftWaitlist: 'Has salido de la lista de espera.',
  offered: 'Vuelve a haber entradas, y te las hemos reservado.',
  notSoldOut: 'Estas entradas están a la venta: elígelas ahora.',
  joinFirst: 'La venta está en marcha: ponte primero en la cola.',
  ticketLimit:
    '.input {$limit :integer} .match $limit one {{Una cuenta puede tener {$limit} entrada para este evento, y la tuya ya tiene {$used :integer}.}} * {{Una cuenta puede tener {$limit} entradas para este evento, y la tuya ya tiene {$used :integer}.}}',
  left: 'quedan {$count :integer}',
  mayComeBack: '{$count :integer} pueden volver',
  gone: 'agotado',
  priceGone: 'Ya no quedan entradas de {$price}.',
  priceAllHeld: 'Las entradas de {$price} están todas reservadas. Alguna puede volver.',
  enoughForAll: 'Quedan entradas para todas las personas que están ahora en la cola.',
  enoughForSome:
    'Quedan entradas para unas {$reach :integer} de las {$waiting :integer} personas de la cola.',
  placeIsElsewhere: 'Tu puesto está en otro dispositivo',
  oneDeviceHas:
    'Un solo dispositivo tiene tu puesto en la cola. Déjalo allí, o tráelo aquí; el otro dispositivo lo pierde.',
  milestoneSoon: 'Unos cinco minutos para tu turno.',
  callSoonTitle: 'Faltan unos cinco minutos',
  callSoonBody: '{$event}: pronto eliges tus entradas.',
  callTurnTitle: 'Es tu turno',
  callTurnBody: '{$event}: elige ahora tus entradas.',
  placeElsewhere: 'Tu puesto en la cola ya no está en este dispositivo: quizá se movió a otro.',
  terms: 'Condiciones',
}
