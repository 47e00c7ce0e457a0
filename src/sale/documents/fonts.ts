import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { resolve } = createRequire(import.meta.url)

/** Each script's font, in the order in which a letter is looked for. */
const FONTS: readonly {
  readonly family: string
  readonly from: string
  readonly files: readonly string[]
}[] = [
  {
    family: 'Noto Sans',
    from: '@embedpdf/fonts-latin',
    files: ['fonts/NotoSans-Regular.ttf', 'fonts/NotoSans-Bold.ttf'],
  },
  {
    family: 'Noto Naskh Arabic',
    from: '@embedpdf/fonts-arabic',
    files: ['fonts/NotoNaskhArabic-Regular.ttf', 'fonts/NotoNaskhArabic-Bold.ttf'],
  },
  {
    family: 'Noto Sans Hebrew',
    from: '@embedpdf/fonts-hebrew',
    files: ['fonts/NotoSansHebrew-Regular.ttf', 'fonts/NotoSansHebrew-Bold.ttf'],
  },
  {
    family: 'Noto Sans Devanagari',
    from: '@expo-google-fonts/noto-sans-devanagari',
    files: ['400Regular/NotoSansDevanagari_400Regular.ttf', '700Bold/NotoSansDevanagari_700Bold.ttf'],
  },
  {
    family: 'Noto Sans Thai',
    from: '@expo-google-fonts/noto-sans-thai',
    files: ['400Regular/NotoSansThai_400Regular.ttf', '700Bold/NotoSansThai_700Bold.ttf'],
  },
  {
    family: 'Noto Sans S Chinese',
    from: '@embedpdf/fonts-sc',
    files: ['fonts/NotoSansHans-Regular.otf', 'fonts/NotoSansHans-Bold.otf'],
  },
  {
    family: 'Noto Sans Korean',
    from: '@embedpdf/fonts-kr',
    files: ['fonts/NotoSansKR-Regular.otf', 'fonts/NotoSansKR-Bold.otf'],
  },
  {
    family: 'Noto Emoji',
    from: '@expo-google-fonts/noto-emoji',
    files: ['400Regular/NotoEmoji_400Regular.ttf', '700Bold/NotoEmoji_700Bold.ttf'],
  },
]

export const FONT_FAMILIES: readonly string[] = FONTS.map(({ family }) => family)

/** The files of the fonts that the tickets embed, each as a subset. Throws where a package is not installed. */
export function fontFiles(): string[] {
  return FONTS.flatMap(({ from, files }) => files.map((file) => join(folderOf(from), file)))
}

function folderOf(name: string): string {
  // Not every package exports its package.json.
  const entry = resolve.paths(name)?.map((path) => join(path, name))
  const inside = dirname(resolve(name))
  return entry?.find((folder) => inside.startsWith(folder)) ?? inside
}
