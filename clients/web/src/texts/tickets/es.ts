import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{El asiento es tuyo}} * {{Los {$count} asientos son tuyos}}',
  yourTickets: '.input {$count :integer} .match $count one {{Tu entrada}} * {{Tus {$count} entradas}}',
  howToShow:
    'Muestra el código en la puerta, en esta pantalla o en papel. Para volver a encontrar tus entradas, abre esta dirección en cualquier navegador, inicia sesión como {$name} y pulsa «{$button}» arriba.',
  print: 'Imprimir',
  backToEvent: 'Volver al evento',
  section: 'Sector',
  row: 'Fila',
  seat: 'Asiento',
  category: 'Categoría',
  codeComes: 'El código aparece aquí en cuanto tu banco complete el pago.',
  codeFor: 'Código para {$seat}',
  codeAsText: 'El código como texto',
}
