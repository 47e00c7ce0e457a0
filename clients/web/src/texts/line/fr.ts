import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  inLine: 'Vous êtes dans la file',
  drawnLater:
    'Les places dans la file sont tirées au sort à l’ouverture de la vente. Cette page affiche alors la vôtre.',
  yourPlace: 'Votre place dans la file',
  yourTurn: 'C’est votre tour. Un instant…',
  ahead: 'Devant vous',
  noneAhead: 'Personne : vous êtes le suivant',
  people: '.input {$count :integer} .match $count one {{{$count} personne}} * {{{$count} personnes}}',
  yourWait: 'Votre attente',
  waitPaused: 'La file est en pause',
  waitUnknown: 'Inconnue pour l’instant',
  anyMoment: 'D’un instant à l’autre',
  untilFree: 'Jusqu’à ce qu’une place se libère',
  allHeld:
    'Toutes les places sont réservées par des personnes qui peuvent encore payer. Certaines se libéreront peut-être. Vous pouvez attendre sans rien perdre.',
  mayClose:
    'Vous pouvez fermer cette page : votre place est conservée sur cet appareil. Ouvrir la page deux fois n’y change rien.',
  leave: 'Quitter la file',
  leaveQuestion: 'Quitter la file ? Votre place sera perdue.',
  stay: 'Rester',
  leaveNow: 'Quitter',

  howToCheckLater: 'Comment vérifier plus tard',
  noteNow:
    'Notez maintenant l’engagement et votre arrivée. L’engagement correspond à un nombre secret choisi avant l’ouverture de la file. Ce nombre est publié au tirage, et chacun peut alors calculer toutes les places.',
  computeYourself:
    'La graine est le nombre qui correspond à l’engagement, et chaque place découle des données ci-dessous. Cette commande du programme de Fairgate calcule votre place et la compare. Vous pouvez aussi la calculer vous-même :',
  event: 'Événement',
  yourArrival: 'Votre arrivée',
  place: 'Votre place',
  inDraw: 'Dans le tirage',
  commitment: 'Engagement',
  seed: 'Graine',
  randomnessFrom: 'Hasard public de',
  randomness: 'Hasard public',
  joinedBefore:
    'Vous êtes arrivé en position {$arrival :integer}. À l’ouverture de la vente, toutes les personnes présentes sont mises dans un ordre aléatoire. Peu importe qui est arrivé d’abord.',
  noDraw:
    'Vous êtes arrivé en position {$arrival :integer}. Personne n’est venu avant l’ouverture, il n’y a donc pas eu de tirage.',
  joinedAfter:
    'Vous êtes arrivé en position {$arrival :integer}. Les {$size :integer} personnes arrivées avant l’ouverture ont été tirées d’abord. Vous venez après elles, dans l’ordre d’arrivée.',
  waitsForRandomness:
    'Vous êtes arrivé en position {$arrival :integer}. Le tirage compte {$size :integer} personnes et attend le hasard public : {$source}.',
  drawInProgress: 'Vous êtes arrivé en position {$arrival :integer}. Le tirage est en cours.',
  drawn:
    'Vous êtes arrivé en position {$arrival :integer}. Le tirage vous a donné la place {$place :integer} sur {$size :integer}.',
  seatsByPrice: 'Ce qui reste par prix',
  around: 'vers {$time}',
  rateUnknown:
    'La file n’a pas avancé récemment, il n’y a donc pas encore d’estimation. Elle apparaît dès que la file avance.',
  pausedWhy:
    'L’organisateur a mis la file en pause. Votre place ne change pas, et la file reprend d’elle-même.',
  justDrawn: 'Le tirage est fait. Votre place :',
  ofDrawn: 'sur {$size :integer} tirées au sort',
  callMe: 'M’appeler',
  callMeHow:
    'Recevez une notification et un e-mail environ cinq minutes avant votre tour, puis à votre tour.',
  willCall: 'Cet appareil vous appellera. Laissez cette page ouverte en arrière-plan.',
  willCallClosed: 'Vous serez appelé par notification et par e-mail, même si cette page est fermée.',
  willMail: 'Vous serez appelé par e-mail.',
  doNotCall: 'Ne pas m’appeler',
  callBlocked:
    'Votre navigateur bloque les notifications de cette page. Autorisez-les dans ses réglages, puis appuyez à nouveau.',
  thanksForWaiting:
    'Certaines personnes devant vous n’achèteront pas, et des places reviendront. Vous ne perdez rien à attendre.',
  mayNotReach: 'Il n’y aura peut-être pas assez de places jusqu’à vous.',
  drawToCome: 'Un tirage équitable décide',
  fairDraw: 'Comment vous avez eu votre place',
  notedHere:
    'Cet appareil a noté l’engagement et votre arrivée. Après le tirage, un appui ici vérifie votre place.',
  checkMyPlace: 'Vérifier ma place',
  checkElsewhere: 'Vérifier sans cette page',
  checkingPlace: 'Votre navigateur refait le tirage de {$size :integer} personnes…',
  cannotCheck: 'Ce navigateur ne peut pas calculer le tirage. Vérifiez votre place sans cette page.',
  placeIsRight: 'Votre place est juste.',
  placeIsWrong: 'Votre place ne correspond pas au tirage. Gardez cette page et contactez l’organisateur.',
  sameAsNoted: 'L’engagement est celui que cet appareil a noté à {$time}, avant le tirage.',
  differsFromNoted: 'L’engagement n’est pas celui que cet appareil a noté à {$time}.',
  notNoted:
    'Cet appareil n’a noté aucun engagement avant le tirage. Comparez avec votre propre note, ou celle de quelqu’un d’autre.',
  seedFits: 'Le nombre publié correspond à l’engagement : son SHA-256 est le même.',
  seedDiffers: 'Le nombre publié ne correspond pas à l’engagement.',
  placeFits:
    'Le tirage de {$size :integer} personnes, refait sur cet appareil, vous donne la place {$computed :integer}.',
  placeDiffers:
    'Le tirage de {$size :integer} personnes, refait sur cet appareil, vous donne une autre place : {$computed :integer}.',
  checkedOnDevice: 'Vérifié sur mon propre appareil',
  shareCard: 'Partager une carte',
}
