import { MessageType, parseMessage } from 'graphql-ws'

const CLIENTS_MESSAGES: ReadonlySet<string> = new Set([
  MessageType.ConnectionInit,
  MessageType.Ping,
  MessageType.Pong,
  MessageType.Subscribe,
  MessageType.Complete,
])

/** Null for what no client has to say: the protocol itself knows a server's messages too, and fails on them. */
export function readMessage(data: string) {
  try {
    const message = parseMessage(data)
    return CLIENTS_MESSAGES.has(message.type) ? message : null
  } catch {
    return null
  }
}
