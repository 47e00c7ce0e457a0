import type { Texts } from './en.ts'

export const fr: Texts = {
  confirmedSubject:
    '.input {$count :integer}\n.match $count\none {{Votre billet pour {$event}}}\n* {{Vos {$count} billets pour {$event}}}',
  confirmedHeading: 'Votre commande est confirmée',
  confirmedText:
    '.input {$count :integer}\n.match $count\none {{Votre billet est joint à ce message au format PDF. Imprimez-le ou présentez-le sur votre téléphone.}}\n* {{Vos billets sont joints à ce message au format PDF, un par page. Imprimez-les ou présentez-les sur votre téléphone.}}',
  confirmedTextLink:
    '.input {$count :integer}\n.match $count\none {{Votre billet se trouve sur la page de votre commande.}}\n* {{Vos billets se trouvent sur la page de votre commande.}}',
  cancelledSubject: 'Votre commande pour {$event} est annulée',
  cancelledHeading: 'Votre commande est annulée',
  cancelledText:
    'Votre commande est annulée. Ses billets ne sont plus valables et ne donnent plus accès à l’événement.',
  moneyBack:
    'Vous ne payez rien. Si votre banque affiche un paiement ou une réservation de {$total}, l’argent vous est rendu automatiquement.',
  seatsGoneSubject: 'Pas de billets pour {$event} : les places n’étaient plus disponibles',
  seatsGoneHeading: 'Les places n’étaient plus disponibles',
  seatsGoneText:
    'Votre paiement n’a pas été accepté à temps : les places ne sont plus à vous. Cette commande ne vous donne aucun billet.',
  refundOwedSubject: 'Votre remboursement de {$amount} pour {$event} est en cours',
  refundOwedHeading: 'Nous vous remboursons {$amount}',
  refundOwedWhole: 'Votre commande est annulée. Ses billets ne sont plus valables : l’entrée les refuse.',
  refundOwedPart:
    'Une partie de votre commande est remboursée. Les billets remboursés ne sont plus valables ; les autres le restent.',
  refundOwedNext:
    'Vous n’avez rien à faire. Nous vous écrirons de nouveau lorsque le prestataire de paiement aura rendu l’argent.',
  refundedSubject: 'Remboursement de {$amount} pour {$event}',
  refundedHeading: 'Nous vous avons remboursé {$amount}',
  refundedWhole: 'Toute votre commande est remboursée. Ses billets ne sont plus valables.',
  refundedPart:
    'Une partie de votre commande est remboursée : {$refunded} sur {$total} à ce jour. Les billets remboursés ne sont plus valables ; les autres le restent.',
  refundedWait:
    'L’argent revient sur la carte ou le compte qui a servi au paiement. Votre banque peut mettre jusqu’à dix jours à l’afficher.',
  offerSubject:
    '.input {$count :integer}\n.match $count\none {{1 billet pour {$event}, réservé pour vous}}\n* {{{$count} billets pour {$event}, réservés pour vous}}',
  offerHeading: 'C’est votre tour sur la liste d’attente',
  offerText:
    '.input {$count :integer}\n.match $count\none {{1 billet pour {$event} est revenu en vente. Il est réservé pour vous jusqu’au {$until} ({$timeZone}).}}\n* {{{$count} billets pour {$event} sont revenus en vente. Ils sont réservés pour vous jusqu’au {$until} ({$timeZone}).}}',
  offerHow:
    'Consultez l’offre et payez-la sur la page de l’événement, avec le compte inscrit sur la liste d’attente.',
  offerEnd: 'Une offre qui n’est pas payée d’ici là revient au fan suivant, et votre inscription prend fin.',
  soonSubject: 'Votre tour pour {$event} arrive dans environ cinq minutes',
  soonHeading: 'Encore environ cinq minutes',
  soonText: 'Ouvrez maintenant la page de l’événement, sur l’appareil qui a votre place dans la file.',
  turnSubject: 'C’est votre tour : {$event}',
  turnHeading: 'C’est votre tour',
  turnText:
    '.input {$count :integer}\n.match $count\none {{Entrez dans la minute, sur l’appareil qui a votre place dans la file.}}\n* {{Entrez dans les {$count} minutes, sur l’appareil qui a votre place dans la file.}}',
  turnEnd: 'Ensuite, votre place revient au fan suivant.',
  seeEvent: 'Ouvrir l’événement',
  alertFooter:
    'Ce message a été envoyé automatiquement, car vous avez demandé à être appelé quand votre tour arrive.',
  seeOrder: 'Voir la commande',
  seeOffer: 'Voir l’offre',
  event: 'Événement',
  performers: 'Avec',
  date: 'Date',
  venue: 'Lieu',
  order: 'Commande',
  total: 'Total',
  tickets: 'Billets',
  section: 'Bloc',
  row: 'Rang',
  seat: 'Place',
  generalAdmission: 'Placement libre',
  price: 'Prix',
  fee: 'dont {$fee} de frais',
  placed: '{$section} · Rang {$row}, place {$seat}',
  placedFreely: '{$section} · Placement libre',
  ticketOf: 'Billet {$index} sur {$count}',
  ticketNumber: 'Billet',
  ticketsTitle: 'Billets pour {$event}',
  code: 'Code QR du billet {$ticket}',
  terms: 'Conditions',
  term1:
    'Le code QR admet une personne, une seule fois. La première personne qui le présente est admise ; une copie est refusée.',
  term2: 'Gardez le code secret : n’en publiez jamais l’image.',
  term3: 'Si la commande est remboursée ou annulée, ce billet n’est plus valable.',
  footer:
    'Ce message a été envoyé automatiquement, car une commande ou une inscription sur une liste d’attente indique cette adresse.',
}
