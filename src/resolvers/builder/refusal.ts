import { Refusal as RefusalClass } from '../../sale/refusals.ts'
import type { Context } from '../request/context.ts'
import { builder } from './builder.ts'

export const Refusal = builder.interfaceRef<RefusalClass>('Refusal').implement({
  description: 'An expected refusal. `retryAfterSeconds`: when the same request can succeed; null: never.',
  fields: (t) => ({
    message: t.exposeString('message'),
    retryAfterSeconds: t.exposeInt('retryAfterSeconds', { nullable: true }),
  }),
  resolveType: (refusal) => refusal.constructor.name,
})

/** Returns a resolver for the type of a result: the class name of a refusal, else `name`. */
export function typeOrRefusal(name: string): (result: object, context: Context) => string {
  return (result, context) => {
    if (!(result instanceof RefusalClass)) return name
    context.refusal = result.constructor.name
    return context.refusal
  }
}
