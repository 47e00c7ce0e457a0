import type { Texts } from './en.ts'

export const es: Texts = {
  confirmedSubject:
    '.input {$count :integer}\n.match $count\none {{Tu entrada para {$event}}}\n* {{Tus {$count} entradas para {$event}}}',
  confirmedHeading: 'Tu pedido está confirmado',
  confirmedText:
    '.input {$count :integer}\n.match $count\none {{Tu entrada va adjunta a este mensaje en un archivo PDF. Imprímela o muéstrala en el teléfono.}}\n* {{Tus entradas van adjuntas a este mensaje en un archivo PDF, una por página. Imprímelas o muéstralas en el teléfono.}}',
  confirmedTextLink:
    '.input {$count :integer}\n.match $count\none {{Tu entrada está en la página de tu pedido.}}\n* {{Tus entradas están en la página de tu pedido.}}',
  cancelledSubject: 'Tu pedido para {$event} está cancelado',
  cancelledHeading: 'Tu pedido está cancelado',
  cancelledText: 'Tu pedido está cancelado. Sus entradas ya no son válidas y nadie puede entrar con ellas.',
  moneyBack:
    'No pagas nada. Si tu banco muestra un pago o una reserva de {$total}, el dinero vuelve automáticamente.',
  seatsGoneSubject: 'Sin entradas para {$event}: los asientos ya no estaban libres',
  seatsGoneHeading: 'Los asientos ya no estaban libres',
  seatsGoneText:
    'El pago no se aprobó a tiempo, por lo que los asientos ya no son tuyos. Este pedido no te da entradas.',
  refundOwedSubject: 'Tu reembolso de {$amount} por {$event} está en marcha',
  refundOwedHeading: 'Te devolvemos {$amount}',
  refundOwedWhole: 'Tu pedido está cancelado. Sus entradas ya no son válidas: no se admiten en la puerta.',
  refundOwedPart:
    'Se reembolsa una parte de tu pedido. Las entradas reembolsadas ya no son válidas; las demás siguen siendo válidas.',
  refundOwedNext:
    'No tienes que hacer nada. Te escribiremos de nuevo cuando el servicio de pago haya devuelto el dinero.',
  refundedSubject: 'Reembolso de {$amount} por {$event}',
  refundedHeading: 'Te hemos devuelto {$amount}',
  refundedWhole: 'Todo tu pedido está reembolsado. Sus entradas ya no son válidas.',
  refundedPart:
    'Una parte de tu pedido está reembolsada: {$refunded} de {$total} hasta ahora. Las entradas reembolsadas ya no son válidas; las demás siguen siendo válidas.',
  refundedWait:
    'El dinero vuelve a la tarjeta o cuenta con la que pagaste. Tu banco puede tardar hasta diez días en mostrarlo.',
  offerSubject:
    '.input {$count :integer}\n.match $count\none {{1 entrada para {$event}, reservada para ti}}\n* {{{$count} entradas para {$event}, reservadas para ti}}',
  offerHeading: 'Es tu turno en la lista de espera',
  offerText:
    '.input {$count :integer}\n.match $count\none {{Ha vuelto 1 entrada para {$event}. Está reservada para ti hasta el {$until} ({$timeZone}).}}\n* {{Han vuelto {$count} entradas para {$event}. Están reservadas para ti hasta el {$until} ({$timeZone}).}}',
  offerHow:
    'Mira la oferta y págala en la página del evento, con la cuenta con la que entraste en la lista de espera.',
  offerEnd: 'Una oferta que no se paga hasta entonces pasa a la siguiente persona, y tu inscripción termina.',
  soonSubject: 'Tu turno para {$event} llega en unos cinco minutos',
  soonHeading: 'Faltan unos cinco minutos',
  soonText: 'Abre ahora la página del evento en el dispositivo que tiene tu lugar en la fila.',
  turnSubject: 'Es tu turno: {$event}',
  turnHeading: 'Es tu turno',
  turnText:
    '.input {$count :integer}\n.match $count\none {{Entra en menos de un minuto, en el dispositivo que tiene tu lugar en la fila.}}\n* {{Entra en {$count} minutos como máximo, en el dispositivo que tiene tu lugar en la fila.}}',
  turnEnd: 'Después, tu lugar pasa al siguiente fan.',
  seeEvent: 'Abrir el evento',
  alertFooter:
    'Este correo se envió automáticamente porque pediste que te avisáramos cuando llegue tu turno.',
  seeOrder: 'Ver el pedido',
  seeOffer: 'Ver la oferta',
  event: 'Evento',
  performers: 'Con',
  date: 'Fecha',
  venue: 'Lugar',
  order: 'Pedido',
  total: 'Total',
  tickets: 'Entradas',
  section: 'Sector',
  row: 'Fila',
  seat: 'Asiento',
  generalAdmission: 'Entrada general, sin asiento asignado',
  price: 'Precio',
  fee: 'incluye {$fee} de gastos',
  placed: '{$section} · Fila {$row}, asiento {$seat}',
  placedFreely: '{$section} · Entrada general, sin asiento asignado',
  ticketOf: 'Entrada {$index} de {$count}',
  ticketNumber: 'Entrada',
  ticketsTitle: 'Entradas para {$event}',
  code: 'Código QR de la entrada {$ticket}',
  terms: 'Condiciones',
  term1:
    'El código QR admite a una persona, una sola vez. Entra la primera persona que lo muestra; una copia se rechaza.',
  term2: 'Guarda el código en secreto: no publiques nunca una imagen de él.',
  term3: 'Si el pedido se reembolsa o se cancela, esta entrada deja de ser válida.',
  footer:
    'Este mensaje se envió automáticamente, porque un pedido o una inscripción en una lista de espera indica esta dirección.',
}
