import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{La place est à vous}} * {{Les {$count} places sont à vous}}',
  yourTickets: '.input {$count :integer} .match $count one {{Votre billet}} * {{Vos {$count} billets}}',
  howToShow:
    'Présentez le code à l’entrée, sur cet écran ou sur papier. Pour retrouver vos billets, ouvrez cette adresse dans un navigateur, connectez-vous en tant que {$name} et appuyez sur « {$button} » en haut.',
  print: 'Imprimer',
  backToEvent: 'Retour à l’événement',
  section: 'Bloc',
  row: 'Rang',
  seat: 'Place',
  category: 'Catégorie',
  codeComes: 'Le code apparaît ici dès que votre banque a terminé le paiement.',
  codeFor: 'Code pour {$seat}',
  codeAsText: 'Le code en texte',
}
