import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  inLine: 'Du stehst in der Schlange',
  drawnLater: 'Alle Positionen werden ausgelost, wenn der Verkauf öffnet. Diese Seite zeigt dir dann deine.',
  yourPlace: 'Deine Position in der Schlange',
  yourTurn: 'Du bist dran. Einen Moment …',
  ahead: 'Vor dir',
  noneAhead: 'Niemand: Du bist als Nächstes dran',
  people: '.input {$count :integer} .match $count one {{{$count} Person}} * {{{$count} Personen}}',
  yourWait: 'Deine Wartezeit',
  waitPaused: 'Die Schlange macht eine Pause',
  waitUnknown: 'Gerade nicht bekannt',
  anyMoment: 'Jeden Moment',
  untilFree: 'Bis ein Platz frei wird',
  seats: 'Plätze',
  seatsFree: '.input {$count :integer} .match $count one {{{$count} Platz frei}} * {{{$count} Plätze frei}}',
  seatsFreeHeld:
    '.input {$count :integer} .match $count one {{{$count} Platz frei, {$held :integer} reserviert}} * {{{$count} Plätze frei, {$held :integer} reserviert}}',
  allHeld:
    'Alle Plätze sind für Fans reserviert, die noch bezahlen können. Einige werden vielleicht frei. Du kannst warten und verlierst nichts.',
  mayNotReach:
    'Vielleicht reichen die Plätze nicht bis zu deiner Position. Du kannst warten: Einige Fans vor dir werden nicht kaufen.',
  mayClose:
    'Du kannst diese Seite schließen: Deine Position bleibt auf diesem Gerät erhalten. Die Seite zweimal zu öffnen ändert nichts an deiner Position.',
  leave: 'Schlange verlassen',
  leaveQuestion: 'Die Schlange verlassen? Deine Position geht verloren.',
  stay: 'Bleiben',
  leaveNow: 'Verlassen',

  howToCheckLater: 'Wie sich das später prüfen lässt',
  checkDraw: 'Auslosung prüfen',
  noteNow:
    'Notiere dir jetzt die Zusage und deine Ankunft. Die Zusage gehört zu einer geheimen Zahl, die vor dem Öffnen der Schlange gewählt wurde. Bei der Auslosung wird die Zahl veröffentlicht, und jeder kann daraus alle Positionen berechnen.',
  computeYourself:
    'Der Startwert ist die Zahl, die zur Zusage gehört, und jede Position folgt aus den Daten hier. Dieser Befehl aus Fairgates eigenem Programm berechnet deine Position und vergleicht sie. Du kannst sie auch selbst berechnen:',
  event: 'Veranstaltung',
  yourArrival: 'Deine Ankunft',
  place: 'Deine Position',
  inDraw: 'In der Auslosung',
  commitment: 'Zusage',
  seed: 'Startwert',
  randomnessFrom: 'Öffentlicher Zufall von',
  randomness: 'Öffentlicher Zufall',
  joinedBefore:
    'Du hast dich als Nummer {$arrival :integer} angestellt. Wenn der Verkauf öffnet, kommen alle, die bis dahin da sind, in eine zufällige Reihenfolge. Wer zuerst da war, zählt nicht.',
  noDraw:
    'Du hast dich als Nummer {$arrival :integer} angestellt. Vor dem Öffnen hat sich niemand angestellt, deshalb gab es keine Auslosung.',
  joinedAfter:
    'Du hast dich als Nummer {$arrival :integer} angestellt. Die {$size :integer} Fans, die vor dem Öffnen da waren, wurden zuerst ausgelost. Du kommst nach ihnen, in der Reihenfolge der Ankunft.',
  waitsForRandomness:
    'Du hast dich als Nummer {$arrival :integer} angestellt. Die Auslosung hat {$size :integer} Fans und wartet auf öffentlichen Zufall: {$source}.',
  drawInProgress: 'Du hast dich als Nummer {$arrival :integer} angestellt. Die Auslosung läuft.',
  drawn:
    'Du hast dich als Nummer {$arrival :integer} angestellt. In der Auslosung hast du Position {$place :integer} von {$size :integer} bekommen.',
}
