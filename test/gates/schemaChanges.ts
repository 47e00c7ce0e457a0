import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema, type GraphQLSchema } from 'graphql'

/** A difference between two versions of the API that a client can notice. */
export type SchemaChange = Pick<Change, 'type' | 'message'> & {
  readonly path: string
  readonly level: CriticalityLevel
}

/** The differences that a client can notice, by path. A new type or field stands for all that it contains. */
export async function changesBetween(from: GraphQLSchema, to: GraphQLSchema): Promise<SchemaChange[]> {
  const found = (await diff(from, to))
    .filter(({ type }) => !type.includes('DESCRIPTION'))
    .map(({ type, message, path = '', criticality }) => ({ type, message, path, level: criticality.level }))
  const added = new Set(found.filter(({ type }) => type.endsWith('_ADDED')).map(({ path }) => path))
  const isPartOfAddition = ({ path }: SchemaChange) =>
    path.split('.').some((_, i, parts) => i > 0 && added.has(parts.slice(0, i).join('.')))
  return found.filter((change) => !isPartOfAddition(change)).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The version that the description of a printed schema states. Throws an Error where it states none. */
export function versionOf(sdl: string): string {
  const [, version] = /version (\d+\.\d+\.\d+)\b/.exec(buildSchema(sdl).description ?? '') ?? []
  if (!version) throw new Error('the schema states no version')
  return version
}

/** The reason why a version does not fit the changes since the released one; null where it does. */
export function versionFault(
  released: string,
  version: string,
  changes: readonly SchemaChange[],
): string | null {
  const [[major = 0, minor = 0], [newMajor = 0, newMinor = 0]] = [released, version].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]]
  const breaking = changes.filter(({ level }) => level === CriticalityLevel.Breaking)
  if (newMajor > major) return null
  if (breaking.length > 0) {
    const list = breaking.map(({ message }) => message).join('; ')
    return `Clients of ${released} would break, so the version must be ${major + 1}.0.0: ${list}.`
  }
  if (newMajor < major || newMinor < minor) return `The version ${version} is older than ${released}.`
  if (changes.length > 0 && newMinor === minor)
    return `The API has changed since ${released}, so the version must be ${major}.${minor + 1}.0.`
  return null
}

const TITLES: readonly [CriticalityLevel, string][] = [
  [CriticalityLevel.Breaking, 'Breaks clients'],
  [CriticalityLevel.Dangerous, 'Check your client: it may not expect this'],
  [CriticalityLevel.NonBreaking, 'Added'],
]

/** The changelog with the section of a version, which replaces an older text of that section. */
export function withSection(changelog: string, version: string, changes: readonly SchemaChange[]): string {
  const lists = TITLES.flatMap(([level, title]) => {
    const lines = changes.filter((change) => change.level === level).map(lineOf)
    return lines.length > 0 ? [`### ${title}\n\n${lines.join('\n')}\n`] : []
  })
  const section = `## ${version}\n\n${lists.join('\n') || 'No change.\n'}`
  const [preamble = '', ...sections] = changelog.split(/^(?=## )/m)
  const others = sections.filter((text) => !text.startsWith(`## ${version}\n`))
  return [preamble, [section, ...others].join('\n')].join('')
}

/** `Field 'a' was added to object type 'B'` reads better with the quotes of Markdown. */
function lineOf({ message }: SchemaChange): string {
  return `- ${message.replaceAll(/'([^']*)'/g, '`$1`')}`
}
