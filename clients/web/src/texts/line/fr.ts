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
  seats: 'Places',
  seatsFree:
    '.input {$count :integer} .match $count one {{{$count} place libre}} * {{{$count} places libres}}',
  seatsFreeHeld:
    '.input {$count :integer} .match $count one {{{$count} place libre, {$held :integer} réservées}} * {{{$count} places libres, {$held :integer} réservées}}',
  allHeld:
    'Toutes les places sont réservées par des personnes qui peuvent encore payer. Certaines se libéreront peut-être. Vous pouvez attendre sans rien perdre.',
  mayNotReach:
    'Il n’y aura peut-être pas assez de places jusqu’à vous. Vous pouvez attendre : certaines personnes devant vous n’achèteront pas.',
  mayClose:
    'Vous pouvez fermer cette page : votre place est conservée sur cet appareil. Ouvrir la page deux fois n’y change rien.',
  leave: 'Quitter la file',
  leaveQuestion: 'Quitter la file ? Votre place sera perdue.',
  stay: 'Rester',
  leaveNow: 'Quitter',

  howToCheckLater: 'Comment vérifier plus tard',
  checkDraw: 'Vérifier le tirage',
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
}
