import type { ObjectRef } from '@pothos/core'
import type { Page } from '../sale/page.ts'
import { builder } from './builder.ts'

type Types = typeof builder.$inferSchemaTypes

const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage'),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage'),
    startCursor: t.string({ nullable: true, resolve: ({ edges }) => edges[0]?.cursor }),
    endCursor: t.string({ nullable: true, resolve: ({ edges }) => edges.at(-1)?.cursor }),
  }),
})

/**
 * The types `<name>Connection` and `<name>Edge` over a page of a list that is only read forward. The relay
 * plugin's connections always take `last` and `before` as well, which no list here could answer.
 */
export function connection<T>(name: string, node: ObjectRef<Types, T>) {
  const Edge = builder.objectRef<Page<T>['edges'][number]>(`${name}Edge`).implement({
    fields: (t) => ({
      cursor: t.exposeString('cursor'),
      node: t.field({ type: node, resolve: (edge) => edge.node as never }),
    }),
  })
  return builder.objectRef<Page<T>>(`${name}Connection`).implement({
    fields: (t) => ({
      // Each list's own `first` is its multiplier, see the fields that return connections.
      edges: t.field({
        type: [Edge],
        complexity: { field: 0, multiplier: 1 },
        resolve: ({ edges }) => [...edges],
      }),
      pageInfo: t.field({ type: PageInfo, resolve: (page) => page }),
    }),
  })
}

/** What a list costs: its entries as many times as it may have. */
export const perEntry = ({ first }: { first?: number | null }) => ({ field: 1, multiplier: first ?? 20 })
