import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  yourChoice: 'Votre choix',
  nothingYet:
    '.input {$limit :integer} .match $limit one {{Rien pour l’instant. Vous pouvez choisir {$limit} place, puis la réserver le temps de payer.}} * {{Rien pour l’instant. Vous pouvez choisir jusqu’à {$limit} places, puis les réserver le temps de payer.}}',
  seatsChosen:
    '.input {$count :integer} .match $count one {{{$count} place choisie}} * {{{$count} places choisies}}',
  putBack: 'Retirer {$seat}',
  paused: 'La vente est en pause. Vous pouvez regarder les places et les réserver à la reprise.',
  reserve:
    '.input {$count :integer} .match $count one {{Réserver {$count} place · {$total}}} * {{Réserver {$count} places · {$total}}}',
  keptFor:
    '.input {$count :integer} .match $count one {{Elle vous est réservée pendant {$time}, le temps de payer.}} * {{Elles vous sont réservées pendant {$time}, le temps de payer.}}',

  seatsTaken: 'Quelqu’un a été plus rapide. Vous n’avez aucune place réservée ; choisissez à nouveau.',
  namedSeatsTaken:
    '.input {$count :integer} .match $count one {{Quelqu’un a été plus rapide : {$seats} est prise. Vous n’avez aucune place réservée ; choisissez à nouveau.}} * {{Quelqu’un a été plus rapide : {$seats} sont prises. Vous n’avez aucune place réservée ; choisissez à nouveau.}}',
  takenButHeld: 'Quelqu’un a été plus rapide : {$seats}. Votre réservation reste à vous.',
  ownSeats: 'Vous avez déjà réservé {$seats}.',
  exchangeOwn: 'Échanger mes places contre celles-ci',
  showOwn: 'Voir ma réservation',
  notEnough:
    '.input {$count :integer} .match $count one {{Seule {$count} place de ce type peut être réservée. Vous n’avez aucune place réservée.}} * {{Seules {$count} places de ce type peuvent être réservées. Vous n’avez aucune place réservée.}}',
  orphan: 'Votre choix laisserait une place isolée à côté. Décalez-le d’une place.',
  namedOrphan: 'Votre choix laisserait une place isolée à côté ({$seats}). Décalez-le d’une place.',
  wheelchairRequired:
    'Une place pour accompagnant se vend seulement avec son emplacement pour fauteuil roulant. Choisissez-le aussi.',
  heldTooOften: 'Vous avez réservé des places trop souvent en peu de temps.',
  deviceHoldsAll: 'Les comptes de cet appareil ont réservé autant de places qu’un appareil le peut.',
  addressHoldsAll:
    'Les personnes sur votre connexion ont réservé autant de places qu’une connexion le peut. Vous pouvez aussi essayer un autre réseau.',
  notOpen: 'La vente n’est pas encore ouverte. Elle ouvre {$when}.',
  salePaused: 'La vente est en pause pour un moment.',

  declined: '{$why} Rien n’a été débité, et les places sont toujours à vous : essayez une autre carte.',
  noFunds: 'Il n’y a pas assez d’argent sur la carte.',
  cardExpired: 'La carte a expiré.',
  notAuthenticated: 'La banque n’a pas pu confirmer que c’est vous.',
  bankTryLater: 'La banque n’a pas répondu ; la même carte marchera peut-être dans un instant.',
  bankDeclined: 'La banque a refusé le paiement.',

  timeOver: 'Le temps de paiement est écoulé. Les places sont de nouveau en vente.',
  timeOverNoMoney:
    'Le temps de paiement est écoulé, et les places sont de nouveau en vente. Rien n’a été débité.',
  orderRefunded: 'La commande a été remboursée, et ses billets ne sont plus valables. L’argent vous revient.',
  orderCancelledLate: 'Le paiement n’a pas pu aboutir, la commande a donc été annulée.',
  orderCancelled:
    'La commande a été annulée, et nous ne gardons pas d’argent. Les places sont de nouveau en vente.',
  noLongerYours: 'Ces places ne sont plus à vous. Rien n’a été débité.',
  noLongerHeld: 'Ces places ne vous sont plus réservées. Rien n’a été débité.',
  checkoutBusy:
    'Énormément de personnes paient en ce moment. Vos places sont toujours réservées ; réessayez dans un instant.',
  beingPaid: 'Ces places sont en cours de paiement. Attendez le résultat.',
  backOnSale: 'Les places sont de nouveau en vente.',

  heldForYou:
    '.input {$count :integer} .match $count one {{Cette place vous est réservée}} * {{Ces {$count} places vous sont réservées}}',
  total: 'Total, frais compris',
  sandboxCard: 'Payer avec une carte de test',
  noRealCard: 'Aucune vraie carte n’est nécessaire, et rien n’est débité.',
  cardYes: 'La banque accepte',
  cardNo: 'Refusée : pas assez d’argent',
  cardSlow: 'Acceptée, mais la banque est lente',
  paying: 'La banque traite votre paiement. Attendez ici, et ne payez pas une seconde fois.',
  pay: 'Payer {$total}',
  giveBack: '.input {$count :integer} .match $count one {{Rendre la place}} * {{Rendre les places}}',
  giveBackQuestion:
    '.input {$count :integer} .match $count one {{Rendre la place ? D’autres pourront alors l’acheter.}} * {{Rendre les places ? D’autres pourront alors les acheter.}}',
  keep: '.input {$count :integer} .match $count one {{Garder la place}} * {{Garder les places}}',
  giveBackNow: 'Rendre',
  leftToPay: 'pour payer',
  timeLeftToPay: 'Encore {$time} pour payer',
  timeLeftToPayNow: 'Encore {$time} pour payer.',
  timeIsOver:
    '.input {$count :integer} .match $count one {{Le temps est écoulé. Vous pouvez encore payer si personne d’autre n’a pris la place.}} * {{Le temps est écoulé. Vous pouvez encore payer si personne d’autre n’a pris les {$count} places.}}',

  reserveBlock: 'Réserver {$seats} · {$total}',
  heldBefore: 'Vous aviez réservé : {$seats}',
  again: 'Réserver de nouveau la même chose',
  howMany: 'Combien de billets ?',
  howManyInstead: 'Combien de billets à la place ?',
  fewer: 'Un billet de moins',
  more: 'Un billet de plus',
  limit:
    '.input {$count :integer} .match $count one {{{$count} billet au plus}} * {{{$count} billets au plus}}',
  together: 'Côte à côte',
  togetherHint: 'Dans une même rangée, l’un à côté de l’autre',
  where: 'Où, et jusqu’à quel prix ?',
  bestSeats: 'Les meilleures places libres',
  upTo: 'Jusqu’à {$price} par billet',
  each: '{$price} par billet',
  range: 'De {$from} à {$to} par billet',
  noneNow: 'rien de libre pour l’instant',
  ticketsLeft:
    '.input {$count :integer} .match $count one {{encore {$count} billet}} * {{encore {$count} billets}}',
  seatsLeft:
    '.input {$count :integer} .match $count one {{encore {$count} place}} * {{encore {$count} places}}',
  noSeatNumbers: 'Sans numéro de place : choisissez sur place',
  reserveTickets:
    '.input {$count :integer} .match $count one {{Réserver {$count} billet · {$total}}} * {{Réserver {$count} billets · {$total}}}',
  reserveTicketsUpTo:
    '.input {$count :integer} .match $count one {{Réserver {$count} billet · jusqu’à {$total}}} * {{Réserver {$count} billets · jusqu’à {$total}}}',
  chooseMyself: 'Choisir mes places moi-même',
  byQuantity: 'Nous laisser trouver des places',
  holdTime: 'Nous les gardons pour vous pendant {$time}, le temps de payer. Rien n’est débité avant.',
  takeFewer: 'En prendre {$count}',
  takeTogether: 'En prendre {$count} côte à côte',
  takeApart: 'En prendre {$count} à plusieurs endroits',
  takeAnyPrice: 'Chercher à tous les prix',
  notTogether: 'Il n’y a pas {$count :integer} places libres côte à côte.',
  notTogetherLongest:
    'Il n’y a pas {$count :integer} places libres côte à côte. Il y en a {$longest :integer} au plus.',
  stillYours: 'Votre réservation reste à vous pendant {$time}, jusqu’à ce que vous en fassiez une autre.',
  keepMine: '.input {$count :integer} .match $count one {{Garder ma place}} * {{Garder mes places}}',
  exchange:
    '.input {$count :integer} .match $count one {{Échanger contre {$count} place · {$total}}} * {{Échanger contre {$count} places · {$total}}}',
  unitsHeld:
    '.input {$count :integer} .match $count one {{Ce billet est réservé pour vous}} * {{Ces {$count} billets sont réservés pour vous}}',
  fromWaitlist:
    'Des billets sont revenus, et c’est votre tour sur la liste d’attente. Le temps écoulé, ils vont au fan suivant.',
  changeSeats: 'En choisir d’autres',
  cardAsks: 'La banque vous demande de confirmer',
  payTitle: 'Payer',
  payThere: 'Payer sur la page de paiement',
  payThereHint:
    'Vous saisissez votre carte sur la page sécurisée du prestataire de paiement, puis vous revenez ici.',
  freeOfCharge: 'Ces billets sont gratuits',
  getTickets: 'Obtenir les billets',
  actionTitle: 'Votre banque vous demande de confirmer',
  actionText: 'Confirmez le paiement sur la page de votre banque. Vous reviendrez ensuite ici.',
  actionGo: 'Aller à ma banque',
  actionOther: 'Payer autrement',
  loadingForm: 'Chargement du formulaire de paiement…',
  formFailed:
    'Le formulaire de paiement n’a pas pu être chargé. Vérifiez votre connexion, ou désactivez un bloqueur pour cette page.',
  loadFormAgain: 'Le charger de nouveau',
  yourSeats: 'Vos places dans {$section}',
}
