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
  allHeld:
    'Alle Plätze sind für Fans reserviert, die noch bezahlen können. Einige werden vielleicht frei. Du kannst warten und verlierst nichts.',
  mayClose:
    'Du kannst diese Seite schließen: Deine Position bleibt auf diesem Gerät erhalten. Die Seite zweimal zu öffnen ändert nichts an deiner Position.',
  leave: 'Schlange verlassen',
  leaveQuestion: 'Die Schlange verlassen? Deine Position geht verloren.',
  stay: 'Bleiben',
  leaveNow: 'Verlassen',

  howToCheckLater: 'Wie sich das später prüfen lässt',
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
  seatsByPrice: 'Was je Preis übrig ist',
  around: 'gegen {$time}',
  rateUnknown:
    'Die Schlange hat sich zuletzt nicht bewegt, deshalb gibt es noch keine Schätzung. Sie erscheint, sobald es weitergeht.',
  pausedWhy:
    'Der Veranstalter hat die Schlange angehalten. Deine Position ändert sich nicht, und es geht von selbst weiter.',
  justDrawn: 'Die Auslosung ist gemacht. Deine Position:',
  ofDrawn: 'von {$size :integer} ausgelosten',
  callMe: 'Ruf mich',
  callMeHow:
    'Du bekommst eine Mitteilung und eine Mail etwa fünf Minuten bevor du dran bist, und wenn du dran bist.',
  willCall: 'Dieses Gerät ruft dich. Lass diese Seite im Hintergrund offen.',
  willCallClosed: 'Du wirst per Mitteilung und per Mail gerufen, auch wenn diese Seite geschlossen ist.',
  willMail: 'Du wirst per Mail gerufen.',
  doNotCall: 'Nicht rufen',
  callBlocked:
    'Dein Browser blockiert Mitteilungen dieser Seite. Erlaube sie in seinen Einstellungen und drücke noch einmal.',
  thanksForWaiting:
    'Einige Fans vor dir werden nicht kaufen, und einige Plätze kommen zurück. Mit Warten verlierst du nichts.',
  mayNotReach: 'Vielleicht reichen die Plätze nicht bis zu deiner Position.',
  drawToCome: 'Eine faire Auslosung entscheidet',
  fairDraw: 'Wie du zu deiner Position kamst',
  notedHere:
    'Dieses Gerät hat die Zusage und deine Ankunft notiert. Nach der Auslosung prüft ein Druck hier deine Position damit.',
  checkMyPlace: 'Meine Position prüfen',
  checkElsewhere: 'Ohne diese Seite prüfen',
  checkingPlace: 'Dein Browser macht die Auslosung von {$size :integer} Fans noch einmal …',
  cannotCheck: 'Dieser Browser kann die Auslosung nicht berechnen. Prüfe deine Position ohne diese Seite.',
  placeIsRight: 'Deine Position stimmt.',
  placeIsWrong:
    'Deine Position passt nicht zur Auslosung. Behalte diese Seite und wende dich an den Veranstalter.',
  sameAsNoted: 'Die Zusage ist dieselbe, die dieses Gerät um {$time} notiert hat, vor der Auslosung.',
  differsFromNoted: 'Die Zusage ist nicht die, die dieses Gerät um {$time} notiert hat.',
  notNoted:
    'Dieses Gerät hat vor der Auslosung keine Zusage notiert. Vergleiche sie mit deiner eigenen Notiz oder der eines anderen Fans.',
  seedFits: 'Die veröffentlichte Zahl gehört zur Zusage: Ihr SHA-256 ist gleich.',
  seedDiffers: 'Die veröffentlichte Zahl gehört nicht zur Zusage.',
  placeFits:
    'Die Auslosung von {$size :integer} Fans, auf diesem Gerät noch einmal gemacht, ergibt für dich Position {$computed :integer}.',
  placeDiffers:
    'Die Auslosung von {$size :integer} Fans, auf diesem Gerät noch einmal gemacht, ergibt für dich eine andere Position: {$computed :integer}.',
  checkedOnDevice: 'Auf meinem eigenen Gerät geprüft',
  shareCard: 'Karte teilen',
}
