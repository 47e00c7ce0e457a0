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
  chooseThese: 'Choisir {$seats}',

  seatsTaken: 'Quelqu’un a été plus rapide. Vous n’avez aucune place réservée ; choisissez à nouveau.',
  namedSeatsTaken:
    '.input {$count :integer} .match $count one {{Quelqu’un a été plus rapide : {$seats} est prise. Vous n’avez aucune place réservée ; choisissez à nouveau.}} * {{Quelqu’un a été plus rapide : {$seats} sont prises. Vous n’avez aucune place réservée ; choisissez à nouveau.}}',
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
  cardDeclined: 'La carte a été refusée.',
  noFunds: 'Il n’y a pas assez d’argent sur la carte.',
  cardExpired: 'La carte a expiré.',
  notAuthenticated: 'La banque n’a pas pu confirmer que c’est vous.',
  bankTryLater: 'La banque n’a pas répondu ; la même carte marchera peut-être dans un instant.',
  bankDeclined: 'La banque a refusé le paiement.',

  timeOver: 'Le temps de paiement est écoulé. Les places sont de nouveau en vente.',
  timeOverNoMoney:
    'Le temps de paiement est écoulé, et les places sont de nouveau en vente. Rien n’a été débité.',
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
}
