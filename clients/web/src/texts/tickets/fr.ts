import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{La place est à vous}} * {{Les {$count} places sont à vous}}',
  yourTickets: '.input {$count :integer} .match $count one {{Votre billet}} * {{Vos {$count} billets}}',
  print: 'Imprimer',
  backToEvent: 'Retour à l’événement',
  section: 'Bloc',
  row: 'Rang',
  seat: 'Place',
  category: 'Catégorie',
  codeComes: 'Le code apparaît ici dès que votre banque a terminé le paiement.',
  codeFor: 'Code pour {$seat}',
  codeAsText: 'Le code en texte',

  unitsAreYours:
    '.input {$count :integer} .match $count one {{Le billet est à vous}} * {{Les {$count} billets sont à vous}}',
  howToShow:
    'Montrez le code à l’entrée, sur cet écran ou sur papier. Cet appareil le garde : il ne faut pas de réseau sur place.',
  showAtDoor: 'Montrer à l’entrée',
  makeBright: 'Augmentez la luminosité de l’écran pour que le lecteur lise le code.',
  close: 'Fermer',
  previous: 'Billet précédent',
  next: 'Billet suivant',
  position: 'Billet {$index :integer} sur {$count :integer}',
  void: 'Ce billet n’est plus valable',
  voidHint: 'L’entrée le refuse. La commande a été remboursée ou annulée.',
  pdf: 'Enregistrer en PDF',
  calendar: 'Ajouter à l’agenda',
  wallet: 'Ajouter à Apple Wallet',
  keptAt: 'Cet appareil a gardé ces billets ({$time}) et les montre sans réseau.',
  noTickets: 'Aucun billet pour l’instant. Vos billets pour tous les événements apparaîtront ici.',
  pastEvents: 'Événements passés',
  openEvent: 'Voir l’événement',
  returned: '{$amount} vous a été remboursé.',
  onItsWay: 'Votre argent est en cours de remboursement.',
  signInToSee: 'Connectez-vous pour voir vos billets.',
  signIn: 'Se connecter',
}
