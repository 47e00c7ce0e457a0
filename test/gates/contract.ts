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

/**
 * One line for everything that the contract promises and the schema does not keep. A schema may have more
 * types, fields and optional arguments. It may not have more enum values or union members: clients switch
 * over those.
 */
export function differences(contractSdl: string, schemaSdl: string): string[] {
  const contract = buildSchema(contractSdl)
  const schema = buildSchema(schemaSdl)
  const found = roots(contract, schema)
  for (const promised of Object.values(contract.getTypeMap())) {
    if (isIntrospectionType(promised) || isSpecifiedScalarType(promised)) continue
    const actual = schema.getType(promised.name)
    if (!actual) found.push(`${promised.name}: missing`)
    else found.push(...ofType(promised, actual))
  }
  return found
}

function roots(contract: GraphQLSchema, schema: GraphQLSchema): string[] {
  return (['getQueryType', 'getMutationType', 'getSubscriptionType'] as const)
    .filter((root) => contract[root]()?.name !== schema[root]()?.name)
    .map((root) => `${root.slice(3, -4)}: ${contract[root]()?.name} promised, ${schema[root]()?.name} there`)
}

function ofType(promised: GraphQLNamedType, actual: GraphQLNamedType): string[] {
  const { name } = promised
  if (promised.constructor !== actual.constructor) {
    return [`${name}: ${kind(promised)} promised, ${kind(actual)} there`]
  }
  if (isEnumType(promised) && isEnumType(actual)) {
    return ofNames(`${name} value`, names(promised.getValues()), names(actual.getValues()))
  }
  if (isUnionType(promised) && isUnionType(actual)) {
    return ofNames(`${name} member`, names(promised.getTypes()), names(actual.getTypes()))
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
        const place = `${name}.${field.name}`
        const other = actual.getFields()[field.name]
        if (!other) return [`${place}: missing`]
        return [
          ...ofTypes(place, field.type, other.type),
          ...ofInputs(place, field.args, other.args, isRequiredArgument),
        ]
      }),
    ]
  }
  return []
}

function ofInputs<Input extends GraphQLArgument | GraphQLInputField>(
  place: string,
  promised: readonly Input[],
  actual: readonly Input[],
  isRequired: (input: Input) => boolean,
): string[] {
  return [
    ...promised.flatMap((input) => {
      const other = actual.find(({ name }) => name === input.name)
      if (!other) return [`${place}(${input.name}): missing`]
      const [wanted, there] = [input, other].map(({ defaultValue }) => JSON.stringify(defaultValue))
      return [
        ...ofTypes(`${place}(${input.name})`, input.type, other.type),
        ...(wanted === there ? [] : [`${place}(${input.name}): default ${wanted} promised, ${there} there`]),
      ]
    }),
    ...actual
      .filter((input) => isRequired(input) && !promised.some(({ name }) => name === input.name))
      .map((input) => `${place}(${input.name}): required, and not in the contract`),
  ]
}

function ofTypes(
  place: string,
  promised: { toString(): string } | GraphQLInputType,
  actual: object,
): string[] {
  return String(promised) === String(actual) ? [] : [`${place}: ${promised} promised, ${actual} there`]
}

function ofNames(place: string, promised: string[], actual: string[]): string[] {
  return [
    ...promised.filter((name) => !actual.includes(name)).map((name) => `${place} ${name}: missing`),
    ...actual
      .filter((name) => !promised.includes(name))
      .map((name) => `${place} ${name}: not in the contract`),
  ]
}

function names(named: readonly { name: string }[]): string[] {
  return named.map(({ name }) => name)
}

function kind(type: GraphQLNamedType): string {
  return type.constructor.name.replace(/^GraphQL|Type$/g, '')
}
