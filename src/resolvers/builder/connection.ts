import type { ObjectRef } from '@pothos/core'
import type { Page } from '../../sale/page.ts'
import { builder } from './builder.ts'

type Types = typeof builder.$inferSchemaTypes

const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
  description: 'Where a page of a list ends.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage'),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage'),
    startCursor: t.string({ nullable: true, resolve: ({ edges }) => edges[0]?.cursor }),
    endCursor: t.string({ nullable: true, resolve: ({ edges }) => edges.at(-1)?.cursor }),
  }),
})

/**
 * Defines the types `<name>Connection` and `<name>Edge` for a list that is read forward only. The relay plugin's
 * connections always have the arguments `last` and `before` too, which no list here supports.
 */
export function connection<T>(name: string, node: ObjectRef<Types, T>) {
  const Edge = builder.objectRef<Page<T>['edges'][number]>(`${name}Edge`).implement({
    description: `An entry of a list of ${name}.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor'),
      node: t.field({ type: node, resolve: (edge) => edge.node as never }),
    }),
  })
  return builder.objectRef<Page<T>>(`${name}Connection`).implement({
    description: `A page of a list of ${name}.`,
    fields: (t) => ({
      // The field that returns the connection multiplies by its own `first`.
      edges: t.field({
        type: [Edge],
        complexity: { field: 0, multiplier: 1 },
        resolve: ({ edges }) => [...edges],
      }),
      pageInfo: t.field({ type: PageInfo, resolve: (page) => page }),
    }),
  })
}

/** The complexity of a list: its entries, multiplied by the most that it may return. */
export const perEntry = ({ first }: { first?: number | null }) => ({ field: 1, multiplier: first ?? 20 })
