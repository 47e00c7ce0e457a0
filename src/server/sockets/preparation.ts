import { type GraphQLError, getOperationAST } from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import type { App } from '../../app.ts'
import { badInput } from '../../sale/faults.ts'
import type { Following } from '../broadcast/broadcaster.ts'
import type { Graphql } from '../graphql/graphql.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import { contextOf } from '../graphql/requestContext.ts'
import { newRequestId } from '../http/requestId.ts'
import { callerOf, type Peer, type PendingOperation } from './peer.ts'
import type { UnansweredOperations } from './unansweredOperations.ts'

/** The arguments of an operation with the engine that was made for its context. */
export type Prepared = Following & Pick<ReturnType<Graphql['getEnveloped']>, 'execute' | 'subscribe'>

/** Makes an operation of a socket ready to be run; or says why it cannot be, in the contract's words. */
export type Prepare = (
  peer: Peer,
  payload: SubscribePayload,
  begun: PendingOperation,
) => Promise<Prepared | GraphQLError[]>

export interface PreparationDeps {
  app: App
  graphql: Graphql
  outcomes: Outcomes
  owed: Pick<UnansweredOperations, 'begin'>
}

export function createPreparation({ app, graphql, outcomes, owed }: PreparationDeps): Prepare {
  return async (peer, { query, operationName, variables }, begun) => {
    const requestId = newRequestId()
    try {
      const context = contextOf({ ...callerOf(peer), app, requestId })
      const { schema, parse, validate, contextFactory, execute, subscribe } = graphql.getEnveloped(context)
      // What is no document is parsed once more to hear why.
      const document = begun.document ?? parse(query)
      const errors = validate(schema, document)
      if (errors.length > 0) return errors.map((error: unknown) => outcomes.present(error, requestId))
      const operation = getOperationAST(document, operationName)
      if (!operation) throw noOperation()
      // A subscription owes no answer: whoever has one only is sent elsewhere at once.
      if (operation.operation !== 'subscription') owed.begin(peer, begun)
      return {
        schema,
        document,
        operationName,
        variableValues: variables,
        contextValue: await contextFactory(),
        execute,
        subscribe,
      }
    } catch (error) {
      return [outcomes.present(error, requestId)]
    }
  }
}

const noOperation = () =>
  badInput({
    path: ['operationName'],
    message: 'must name an operation of the document where it has not just one',
  })
