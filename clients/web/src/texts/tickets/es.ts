import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{El asiento es tuyo}} * {{Los {$count} asientos son tuyos}}',
  yourTickets: '.input {$count :integer} .match $count one {{Tu entrada}} * {{Tus {$count} entradas}}',
  print: 'Imprimir',
  backToEvent: 'Volver al evento',
  section: 'Sector',
  row: 'Fila',
  seat: 'Asiento',
  category: 'Categoría',
  codeComes: 'El código aparece aquí en cuanto tu banco complete el pago.',
  codeFor: 'Código para {$seat}',
  codeAsText: 'El código como texto',

  unitsAreYours:
    '.input {$count :integer} .match $count one {{La entrada es tuya}} * {{Las {$count} entradas son tuyas}}',
  howToShow:
    'Enseña el código en la puerta, en esta pantalla o en papel. Este dispositivo lo guarda: allí no necesitas red.',
  showAtDoor: 'Enseñar en la puerta',
  makeBright: 'Sube el brillo de la pantalla para que el lector lea el código.',
  close: 'Cerrar',
  previous: 'Entrada anterior',
  next: 'Entrada siguiente',
  position: 'Entrada {$index :integer} de {$count :integer}',
  void: 'Esta entrada no es válida',
  voidHint: 'No se admite en la puerta. El pedido se reembolsó o se canceló.',
  pdf: 'Guardar en PDF',
  calendar: 'Añadir al calendario',
  wallet: 'Añadir a Apple Wallet',
  keptAt: 'Este dispositivo guardó estas entradas ({$time}) y las muestra sin red.',
  noTickets: 'Todavía no hay entradas. Aquí aparecerán tus entradas de todos los eventos.',
  pastEvents: 'Eventos pasados',
  openEvent: 'Ver el evento',
  returned: 'Se te ha devuelto {$amount}.',
  onItsWay: 'Tu dinero está en camino de vuelta.',
  signInToSee: 'Inicia sesión para ver tus entradas.',
  signIn: 'Iniciar sesión',
}
