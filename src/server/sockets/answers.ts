import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { MessageType } from 'graphql-ws'
import type { Outcomes } from '../graphql/outcomes.ts'
import { newRequestId } from '../http/requestId.ts'
import type { Peer } from './peer.ts'

/** What sockets are told beside the protocol, which tells the rest. */
export interface Answers {
  /** As a socket is shown them. */
  shown(errors: readonly GraphQLError[]): GraphQLFormattedError[]
  /** Nothing where the socket is closing. */
  tell(peer: Peer, id: string, type: MessageType, payload?: unknown): void
  /** Ends an operation, with the reason in the contract's words. */
  refuse(peer: Peer, id: string, reason: unknown): void
}

export function createAnswers(outcomes: Outcomes): Answers {
  const answers: Answers = {
    shown: (errors) => errors.map((error) => outcomes.bare(known(error)).toJSON()),
    tell({ socket }, id, type, payload) {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ id, type, payload }))
    },
    refuse(peer, id, reason) {
      const error = outcomes.present(reason, newRequestId())
      answers.tell(peer, id, MessageType.Error, answers.shown([error]))
    },
  }
  return answers
}

/** A stream's last error comes wrapped by the protocol. */
function known(error: GraphQLError): GraphQLError {
  return error.originalError instanceof GraphQLError ? error.originalError : error
}
