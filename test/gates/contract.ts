import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'
import { z } from 'zod'

const ADDITIONS = z.array(
  z.strictObject({
    /** The enum or union. */
    type: z.string().min(1),
    /** The value or the type that it has beyond the contract. */
    member: z.string().min(1),
    /** Why the contract is not enough, with the issue that says so. */
    reason: z.string().trim().min(1),
  }),
)
type Addition = z.infer<typeof ADDITIONS>[number]

/**
 * One line for each promise of the contract that the schema breaks. A schema may have more types, fields and optional
 * arguments. It may have more enum values and union members only if `additions` lists them, because clients switch
 * over those. An addition that has no effect is a fault too.
 */
export function differences(
  contractSdl: string,
  schemaSdl: string,
  additions: readonly Addition[] = [],
): string[] {
  const contract = buildSchema(contractSdl)
  const schema = buildSchema(schemaSdl)
  const found = [...roots(contract, schema), ...ofAdditions(contract, schema, additions)]
  for (const promised of Object.values(contract.getTypeMap())) {
    if (isIntrospectionType(promised) || isSpecifiedScalarType(promised)) continue
    const actual = schema.getType(promised.name)
    if (!actual) found.push(`${promised.name}: missing`)
    else found.push(...ofType(promised, actual, additions))
  }
  return found
}

/** The entries of contract-additions.json. Throws an Error that names each wrong entry. */
export function readAdditions(text: string): readonly Addition[] {
  const { data, error } = ADDITIONS.safeParse(JSON.parse(text))
  if (error) throw new Error(`contract-additions.json: ${z.prettifyError(error)}`)
  return data
}

/** One line for each addition that is unknown or superfluous. */
function ofAdditions(
  contract: GraphQLSchema,
  schema: GraphQLSchema,
  additions: readonly Addition[],
): string[] {
  return additions.flatMap(({ type, member }, i) => {
    const entry = `contract-additions.json, ${type} ${member}`
    const promised = membersOf(contract.getType(type))
    if (!promised) return [`${entry}: the contract has no enum or union ${type}`]
    if (promised.includes(member)) return [`${entry}: superfluous, the contract has it`]
    if (!membersOf(schema.getType(type))?.includes(member)) return [`${entry}: the schema does not have it`]
    const isListedBefore = additions.slice(0, i).some((one) => one.type === type && one.member === member)
    return isListedBefore ? [`${entry}: listed twice`] : []
  })
}

/** The values of an enum or the types of a union; undefined for another type. */
function membersOf(type: GraphQLNamedType | undefined): string[] | undefined {
  if (isEnumType(type)) return names(type.getValues())
  if (isUnionType(type)) return names(type.getTypes())
  return undefined
}

function roots(contract: GraphQLSchema, schema: GraphQLSchema): string[] {
  return (['getQueryType', 'getMutationType', 'getSubscriptionType'] as const)
    .filter((root) => contract[root]()?.name !== schema[root]()?.name)
    .map((root) => `${root.slice(3, -4)}: ${contract[root]()?.name} promised, ${schema[root]()?.name} there`)
}

function ofType(
  promised: GraphQLNamedType,
  actual: GraphQLNamedType,
  additions: readonly Addition[],
): string[] {
  const { name } = promised
  if (promised.constructor !== actual.constructor) {
    return [`${name}: ${kind(promised)} promised, ${kind(actual)} there`]
  }
  const members = membersOf(promised)
  if (members) {
    const added = additions.filter(({ type }) => type === name).map(({ member }) => member)
    const label = `${name} ${isEnumType(promised) ? 'value' : 'member'}`
    return ofNames(label, members, [...members, ...added], membersOf(actual) ?? [])
  }
  if (isInputObjectType(promised) && isInputObjectType(actual)) {
    const inputs = Object.values(promised.getFields())
    return [
      ...(promised.isOneOf === actual.isOneOf
        ? []
        : [`${name}: @oneOf ${promised.isOneOf ? 'is missing' : 'was not promised'}`]),
      ...ofInputs(name, inputs, Object.values(actual.getFields()), isRequiredInputField),
    ]
  }
  if (
    (isObjectType(promised) && isObjectType(actual)) ||
    (isInterfaceType(promised) && isInterfaceType(actual))
  ) {
    const implemented = names(actual.getInterfaces())
    return [
      ...names(promised.getInterfaces())
        .filter((one) => !implemented.includes(one))
        .map((one) => `${name}: does not implement ${one}`),
      ...Object.values(promised.getFields()).flatMap((field) => {
        const path = `${name}.${field.name}`
        const other = actual.getFields()[field.name]
        if (!other) return [`${path}: missing`]
        return [
          ...ofTypes(path, field.type, other.type),
          ...ofInputs(path, field.args, other.args, isRequiredArgument),
        ]
      }),
    ]
  }
  return []
}

function ofInputs<Input extends GraphQLArgument | GraphQLInputField>(
  path: string,
  promised: readonly Input[],
  actual: readonly Input[],
  isRequired: (input: Input) => boolean,
): string[] {
  return [
    ...promised.flatMap((input) => {
      const other = actual.find(({ name }) => name === input.name)
      if (!other) return [`${path}(${input.name}): missing`]
      const [wanted, there] = [input, other].map(({ defaultValue }) => JSON.stringify(defaultValue))
      return [
        ...ofTypes(`${path}(${input.name})`, input.type, other.type),
        ...(wanted === there ? [] : [`${path}(${input.name}): default ${wanted} promised, ${there} there`]),
      ]
    }),
    ...actual
      .filter((input) => isRequired(input) && !promised.some(({ name }) => name === input.name))
      .map((input) => `${path}(${input.name}): required, and not in the contract`),
  ]
}

function ofTypes(
  path: string,
  promised: { toString(): string } | GraphQLInputType,
  actual: object,
): string[] {
  return String(promised) === String(actual) ? [] : [`${path}: ${promised} promised, ${actual} there`]
}

function ofNames(
  label: string,
  promised: readonly string[],
  allowed: readonly string[],
  actual: readonly string[],
): string[] {
  return [
    ...promised.filter((name) => !actual.includes(name)).map((name) => `${label} ${name}: missing`),
    ...actual
      .filter((name) => !allowed.includes(name))
      .map((name) => `${label} ${name}: not in the contract`),
  ]
}

function names(named: readonly { name: string }[]): string[] {
  return named.map(({ name }) => name)
}

function kind(type: GraphQLNamedType): string {
  return type.constructor.name.replace(/^GraphQL|Type$/g, '')
}
