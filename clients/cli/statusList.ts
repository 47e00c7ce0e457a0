import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { z } from 'zod'
import { CommandError } from './command.ts'

const Claims = z.object({
  sub: z.string(),
  iat: z.number(),
  exp: z.number(),
  status_list: z.object({ bits: z.literal(1), lst: z.string() }),
})

/** More tickets than any event has; a longer list is an attack on this process's memory. */
const MOST_BYTES = 16 * 1_024 * 1_024

export interface StatusList {
  readonly issuedAt: Date
  /** `unknown`: the ticket is newer than the list. */
  statusOf(no: number): 'good' | 'void' | 'unknown'
}

/**
 * Reads an event's list of void tickets (the IETF's Token Status List). Throws CommandError where the list is no such list, is
 * not signed by one of the keys, is of another event, or has expired.
 */
export async function readStatusList(
  token: string,
  keys: JSONWebKeySet,
  eventId: string,
): Promise<StatusList> {
  const { payload } = await jwtVerify(token.trim(), createLocalJWKSet(keys), {
    algorithms: ['EdDSA'],
    typ: 'statuslist+jwt',
  }).catch((error) => {
    throw new CommandError(
      error instanceof errors.JWTExpired
        ? 'the list of void tickets has expired: fetch it again'
        : `the list of void tickets cannot be trusted: ${(error as Error).message}`,
    )
  })
  const claims = Claims.safeParse(payload)
  if (!claims.success) throw new CommandError('the list of void tickets is not one of a bit a ticket')
  const { sub, iat, status_list: list } = claims.data
  if (!sub.endsWith(`/events/${eventId}/ticket-status`))
    throw new CommandError(`the list of void tickets is of another event than ${eventId}: ${sub}`)
  const bits = await promisify(inflate)(Buffer.from(list.lst, 'base64url'), {
    maxOutputLength: MOST_BYTES,
  }).catch((error: Error) => {
    throw new CommandError(`the list of void tickets cannot be unpacked: ${error.message}`)
  })
  return {
    issuedAt: new Date(iat * 1_000),
    statusOf(no) {
      const byte = bits[no >> 3]
      if (byte === undefined) return 'unknown'
      return (byte >> (no & 7)) & 1 ? 'void' : 'good'
    },
  }
}
