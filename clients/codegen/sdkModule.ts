import { codegen } from '@graphql-codegen/core'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import { type GraphQLSchema, parse, printSchema } from 'graphql'
import type { OperationDocument, OperationDocuments } from './documents.ts'

const TITLE = '// Generated from clients/operations by npm run schema. Do not edit.\n'

/**
 * Returns the module of the SDK's operations: the types of their variables and data, and their texts. The SDK needs no parser of
 * GraphQL at run time.
 */
export async function sdkModule(schema: GraphQLSchema, documents: OperationDocuments): Promise<string> {
  const types = await codegen({
    filename: 'operations.ts',
    schema: parse(printSchema(schema)),
    schemaAst: schema,
    documents: [{ document: documents.document }],
    plugins: [{ typescriptOperations: {} }],
    pluginMap: { typescriptOperations },
    config: {
      enumType: 'string-literal',
      scalars: { ID: 'string', DateTime: 'string', SafeInt: 'number', Base64: 'string', JSON: 'unknown' },
      inlineFragmentTypes: 'combine',
      skipTypename: true,
    },
  })
  return [
    TITLE,
    "import { operation } from '../transport/operation.ts'\n\n",
    types.trim(),
    '\n\n',
    ...[...documents.fragments].map(([name, text]) => `const ${name} = ${quoted(text)}\n`),
    ...documents.operations.map(operationConstant),
  ].join('')
}

function operationConstant({ name, type, ownText, fragments, isRepeatable }: OperationDocument): string {
  const kind = `${type.charAt(0).toUpperCase()}${type.slice(1)}`
  const given = [[quoted(ownText), ...fragments].join(' + '), ...(isRepeatable ? [] : ['false'])]
  // A bundler drops a call that is marked as pure, where no code uses its result.
  return `
export const ${name}Document = /* @__PURE__ */ operation<${name}${kind}, ${name}${kind}Variables>(
  ${given.join(', ')},
)
`
}

function quoted(text: string): string {
  return text.includes("'") || text.includes('\\') ? JSON.stringify(text) : `'${text}'`
}
