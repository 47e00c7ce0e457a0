import type { PlanFeature } from './seatingPlan.ts'

/** Folded words: small letters, without accents. Words that begin with * end a compound word, as in German. */
const WORDS: Readonly<Record<PlanFeature, string>> = {
  STAGE: `stage mainstage *buhne *buehne scene scena scen escenario escenari palco palcoscenico toneel podium podio podie
    jeviste szinpad sahne nayttamo lava lavad skatuve skene altar altarraum
    сцена эстрада σκηνη 舞台 ステージ 무대 המה במה مسرح`,
  SCREEN: `screen *leinwand *bildwand ecran pantalla schermo tela scherm doek ekran platno vaszon valkokangas larred lerret
    экран οθονη 银幕 銀幕 屏幕 スクリーン 스크린 מסך شاشة`,
  FIELD: `field pitch court rink boxring *spielfeld *spielflache *eisflache *kampfflache *sportflache terrain campo cancha
    pista patinoire manege ring octagon palya boisko hriste kentta veld speelveld saha bane banen поле площадка γηπεδο
    球场 球場 フィールド 경기장 מגרש ملعب`,
}

/** A text with one of these words names a way to the feature, and not the feature. */
const AWAY =
  /entrance|entry|exit|door|access|view|eingang|ausgang|zugang|entree|sortie|entrada|salida|ingresso|uscita|wejscie|wyjscie|back|behind|hinter|food/

const FEATURES = Object.entries(WORDS).map(([feature, words]) => ({
  feature: feature as PlanFeature,
  words: words.split(/\s+/).map((word) => fold(word)),
}))

/** Returns the feature that a text of a plan names, in any of some thirty languages; null for another text. */
export function featureNamed(text: string): PlanFeature | null {
  const folded = fold(text)
  if (AWAY.test(folded)) return null
  const tokens: string[] = [...(folded.match(/[\p{L}\p{M}]+/gu) ?? [])]
  // "S T A G E"
  if (tokens.length > 2 && tokens.every((token) => [...token].length === 1)) tokens.push(tokens.join(''))
  const isNamed = (word: string) =>
    word.startsWith('*')
      ? tokens.some((token) => token.endsWith(word.slice(1)))
      : isUnspaced(word)
        ? folded.includes(word)
        : tokens.includes(word)
  return FEATURES.find(({ words }) => words.some(isNamed))?.feature ?? null
}

/** Chinese and Japanese write words without spaces. */
function isUnspaced(word: string): boolean {
  return /[\p{Script=Han}\p{Script=Katakana}]/u.test(word)
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().normalize('NFKC')
}
