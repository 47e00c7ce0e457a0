import type { GraphQLSchema } from 'graphql'

/**
 * The version of the API (semver.org): a minor version adds to the API, a major version breaks it. A gate compares the schema with
 * schema/released.graphql and demands the version that fits the difference.
 */
export const SCHEMA_VERSION = '1.1.0'

/** Adds the version to the schema's description, which introspection and the printed schema show. */
export function withVersion(schema: GraphQLSchema): GraphQLSchema {
  schema.description = descriptionOf(SCHEMA_VERSION)
  return schema
}

function descriptionOf(version: string): string {
  return `Fairgate's API, version ${version}. The service has it at /schema.graphql, and its changes at /schema-changelog.md.`
}
