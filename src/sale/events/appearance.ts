import type { EventAppearance } from '../../sql/plans.ts'
import type { InputFaults, Path } from '../inputFaults.ts'

/** How an event looks on its page. Each field may be missing or null. */
export interface AppearanceInput {
  imageUrl?: string | null
  accentColor?: string | null
  presaleText?: string | null
  terms?: string | null
}

const MOST_URL = 2_000
const MOST_PRESALE_TEXT = 1_000
const MOST_TERMS = 20_000

// A line break is the one control character of a text with paragraphs.
const CONTROL = /[^\P{Cc}\n]/u

/** Checks the appearance. Null where nothing of it is given. */
export function readAppearance(
  input: AppearanceInput | null | undefined,
  path: Path,
  faults: InputFaults,
): EventAppearance | null {
  if (!input) return null
  function text(name: 'presaleText' | 'terms', most: number): string | null {
    const value = input?.[name]?.trim()
    if (!value) return null
    if (value.length > most) faults.add([...path, name], `must have at most ${most} characters`)
    if (CONTROL.test(value) || !value.isWellFormed())
      faults.add([...path, name], 'must have no control characters but line breaks')
    return value
  }
  const { imageUrl = null, accentColor = null } = input
  if (imageUrl !== null && !isHttps(imageUrl))
    faults.add([...path, 'imageUrl'], `must be an https address of at most ${MOST_URL} characters`)
  if (accentColor !== null && !/^#[0-9a-f]{6}$/i.test(accentColor))
    faults.add([...path, 'accentColor'], 'must be a colour such as #00625b')
  return {
    imageUrl: imageUrl !== null && URL.canParse(imageUrl) ? new URL(imageUrl).href : null,
    accentColor: accentColor?.toLowerCase() ?? null,
    presaleText: text('presaleText', MOST_PRESALE_TEXT),
    terms: text('terms', MOST_TERMS),
  }
}

function isHttps(address: string): boolean {
  return address.length <= MOST_URL && URL.canParse(address) && new URL(address).protocol === 'https:'
}
