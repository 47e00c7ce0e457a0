import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  title: 'Billets',
  titlePlace: 'N° {$place :integer}',
  titleTurn: 'À vous',
  loading: 'Chargement de l’événement',
  missing: 'Cet événement n’existe pas',
  missingHint: 'Vérifiez l’adresse : il en manque peut-être une partie.',
  unreachable: 'La billetterie ne répond pas',
  unreachableHint:
    'Votre place dans la file est conservée même si cette page est fermée. Réessayez dans un instant.',
  tryAgain: 'Réessayer',
  oneMoment: 'Un instant…',
  dismiss: 'Fermer',
  language: 'Langue',

  noConnection: 'Pas de connexion.',
  noConnectionHint: 'Cette page réessaie d’elle-même.',
  connected: 'La connexion est rétablie.',
  connectionLost: 'La connexion est perdue.',
  meanwhileLine: 'Votre place dans la file est conservée.',
  meanwhileSeats: 'Les places choisies ne sont pas encore réservées : d’autres peuvent les prendre.',
  meanwhilePay: 'Vos places sont réservées jusqu’à la fin du temps de paiement.',

  noAnswer: 'Aucune réponse. Vérifiez votre connexion, puis réessayez.',
  brokenPage: 'Une erreur s’est produite sur cette page. Rechargez-la.',
  signInExpired:
    'Votre session a expiré. Reconnectez-vous pour voir votre place dans la file, vos places et vos billets.',
  timeToChooseOver: 'Le temps pour choisir est écoulé. Rejoignez à nouveau la file.',
  crowded: 'Il y a énormément de monde en ce moment. {$retry}',
  ourFault: 'Une erreur s’est produite de notre côté. Réessayez.',
  ourFaultNumber:
    'Une erreur s’est produite de notre côté. Réessayez. Si cela se reproduit, contactez-nous avec ce numéro : {$number}',
  retryLater: 'Réessayez plus tard.',
  retryIn:
    '.input {$count :integer} .match $count one {{Réessayez dans {$count} seconde.}} * {{Réessayez dans {$count} secondes.}}',
  startedAgain:
    'Cette vente a été relancée : les places dans la file et les places choisies auparavant ne sont plus valables.',

  signedInAs: 'Connecté au bac à sable en tant que {$name}.',
  myTickets: 'Mes billets',
  signOut: 'Se déconnecter',
  accountName: 'Nom du compte',
  accountNameRule: 'Au moins une lettre ou un chiffre',
  sandboxSignIn:
    'Ceci est la connexion du bac à sable : tout nom convient et rien n’est vérifié. Une vraie vente utilise votre compte de billetterie.',
  signInElsewhere:
    'Ce service utilise les comptes d’un fournisseur d’identité : connectez-vous chez lui. La connexion du bac à sable est désactivée.',
  ticketCount: '.input {$count :integer} .match $count one {{{$count} billet}} * {{{$count} billets}}',
  seatCount: '.input {$count :integer} .match $count one {{{$count} place}} * {{{$count} places}}',
  seatName: 'Rang {$row}, place {$number}',
  timeToChoose: 'Temps restant pour choisir',
  toChoose: '{$time} pour choisir',
  toPay: '{$time} pour payer',

  days: '.input {$count :integer} .match $count one {{{$count} jour}} * {{{$count} jours}}',
  about: 'Environ {$time}',
  underMinute: 'Moins d’une minute',
  atTime: 'à {$time}',
  onDay: 'le {$time}',
  dateAndTime: '{$date}, {$time}',
  ourClock: '{$time}, d’après notre horloge et non celle de votre appareil',

  theSale: 'La vente',
  lineOpensIn: 'La file ouvre dans',
  saleOpensIn: 'La vente ouvre dans',
  onSaleLater: 'La vente commence {$when}. Revenez à l’ouverture de la file pour y prendre place.',
  lineIsOpen: 'Vous pouvez rejoindre la file. Vous y verrez votre place à l’ouverture de la vente.',
  joinLine: 'Rejoindre la file',
  joining: 'Un instant…',
  chooseSeats: 'Choisir des places',
  chooseTickets: 'Choisir des billets',
  onSaleNow: 'En vente maintenant',
  turnEnded: 'Votre tour est terminé.',
  turnEndedWhat: 'Votre tour s’est terminé avant que vous n’ayez réservé de places.',
  turnEndedNext: 'Vous pouvez rejoindre à nouveau la file.',
  seatsFree:
    '.input {$count :integer} .match $count one {{{$count} place est libre.}} * {{{$count} places sont libres.}}',
  noneFree:
    '.input {$held :integer} .match $held one {{Aucune place n’est libre. {$held} place est réservée mais pas payée, et peut se libérer.}} * {{Aucune place n’est libre. {$held} places sont réservées mais pas payées, et peuvent se libérer.}}',
  waiting:
    '.input {$count :integer} .match $count one {{{$count} personne attend dans la file.}} * {{{$count} personnes attendent dans la file.}}',
  allTickets:
    '.input {$count :integer} .match $count one {{Vous avez {$count} billet, le maximum pour un compte.}} * {{Vous avez {$count} billets, le maximum pour un compte.}}',
  paused: 'La vente est en pause',
  pausedHint:
    'Vous n’avez rien à faire : cette page reprend d’elle-même avec la vente. Les places dans la file sont conservées, et vous pouvez payer les places réservées.',
  soldOut: 'Complet',
  soldOutYours:
    '.input {$count :integer} .match $count 0 {{Il ne reste aucune place : chacune a été vendue une seule fois. Merci d’avoir attendu avec nous.}} one {{Toutes les places sont vendues, et {$count} est à vous.}} * {{Toutes les places sont vendues, et {$count} sont à vous.}}',
  ended: 'La vente est terminée',
  endedHint: 'Les billets de cet événement ne sont plus vendus ici.',
  seeMyTickets: 'Voir mes billets',
  prices: 'Prix',
  feesIncluded: 'Frais compris.',
  seatsInAll:
    '.input {$count :integer} .match $count one {{{$count} place en tout.}} * {{{$count} places en tout.}}',

  checking: 'Nous vérifions que vous n’êtes pas un script.',
  checkingTakes: 'Votre navigateur calcule pendant quelques secondes. Vous n’avez rien à faire.',
  lineNotOpen: 'La file n’est pas encore ouverte. Elle ouvre {$when}.',
  moveHere: 'Déplacer ma place ici',
  notVerified:
    'L’adresse e-mail de votre compte n’est pas encore vérifiée. Ouvrez le lien de l’e-mail de vérification, puis revenez.',
  challengeFailed:
    'Cette vente vérifie que vous n’êtes pas un script, et ce navigateur n’a pas pu le faire. Mettez-le à jour, ou essayez-en un autre.',
  saleEnded: 'La vente est terminée.',
  everySeatSold: 'Toutes les places sont vendues.',
  yourTurnNow: 'C’est votre tour. Choisissez vos places.',
  inTheLine: 'Vous êtes dans la file. L’ordre est tiré au sort à l’ouverture de la vente.',
  numberInLine: 'Vous êtes numéro {$place :integer} dans la file.',
  linePaused: 'La file est en pause.',
  lineMoves: 'La file avance de nouveau.',
  leftLine: 'Vous avez quitté la file.',

  onWaitlist:
    '.input {$count :integer} .match $count one {{Vous êtes sur la liste d’attente pour {$count} billet}} * {{Vous êtes sur la liste d’attente pour {$count} billets}}',
  youAreNext: 'C’est bientôt à vous.',
  aheadOnWaitlist:
    '.input {$count :integer} .match $count one {{{$count} personne est devant vous.}} * {{{$count} personnes sont devant vous.}}',
  waitlistHint:
    'Quand des places qui conviennent se libèrent, nous vous les réservons un moment. Cette page les affiche, et vous recevez un e-mail.',
  leaveWaitlist: 'Quitter la liste d’attente',
  joinWaitlist: 'Rejoindre la liste d’attente',
  waitForReturned: 'Attendre des places rendues',
  entryEnded: 'Votre inscription sur la liste d’attente a pris fin :',
  entryEndedWhy:
    'l’offre est passée à la personne suivante, ou la vente est terminée. Tant que la vente dure, vous pouvez vous réinscrire à la fin.',
  waitlistHow:
    'Il arrive qu’une commande soit annulée. Ses places sont proposées à la liste d’attente, dans l’ordre des inscriptions.',
  ticketsWanted: 'Billets',
  acceptFewer: 'J’en prends moins s’il ne se libère pas assez de places',
  nowOnWaitlist: 'Vous êtes sur la liste d’attente.',
  leftWaitlist: 'Vous avez quitté la liste d’attente.',
  offered: 'Des places sont de nouveau disponibles, et nous vous les réservons.',
  notSoldOut: 'Ces places sont en vente : choisissez-les maintenant.',
  joinFirst: 'La vente est en cours : rejoignez d’abord la file.',
  ticketLimit:
    '.input {$limit :integer} .match $limit one {{Un compte peut avoir {$limit} billet pour cet événement, et le vôtre en a déjà {$used :integer}.}} * {{Un compte peut avoir {$limit} billets pour cet événement, et le vôtre en a déjà {$used :integer}.}}',
  left: 'encore {$count :integer}',
  mayComeBack: '{$count :integer} reviendront peut-être',
  gone: 'épuisé',
  priceGone: 'Il n’y a plus de places à {$price}.',
  priceAllHeld: 'Les places à {$price} sont toutes réservées. Certaines reviendront peut-être.',
  enoughForAll: 'Il reste assez de places pour toute la file actuelle.',
  enoughForSome:
    'Il reste des places pour environ {$reach :integer} des {$waiting :integer} personnes de la file.',
  placeIsElsewhere: 'Votre place est sur un autre appareil',
  oneDeviceHas:
    'Un seul appareil a votre place dans la file. Laissez-la là-bas, ou déplacez-la ici ; l’autre appareil la perd alors.',
  milestoneSoon: 'Environ cinq minutes avant votre tour.',
  callSoonTitle: 'Plus que cinq minutes environ',
  callSoonBody: '{$event} : vous choisirez bientôt vos places.',
  callTurnTitle: 'C’est votre tour',
  callTurnBody: '{$event} : choisissez vos places maintenant.',
  placeElsewhere:
    'Votre place dans la file n’est plus sur cet appareil : elle a peut-être été déplacée vers un autre.',
  terms: 'Conditions',
}
