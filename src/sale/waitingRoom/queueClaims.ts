import type { Caller } from '../caller.ts'
import { queueTokenInvalid } from '../faults.ts'
import { deviceDigest, isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims, Tokens } from '../tokens/tokens.ts'

/** Returns the claims of a caller's queue token. Throws QUEUE_TOKEN_INVALID where it is of another account or device, or no token. */
export function claimsOfCaller(
  tokens: Pick<Tokens, 'verifyQueueToken'>,
  queueToken: string,
  { account, deviceId }: Caller,
): QueueClaims {
  const claims = tokens.verifyQueueToken(queueToken)
  if (!claims || deviceId === null) throw queueTokenInvalid()
  if (account && account.id !== claims.accountId) throw queueTokenInvalid()
  if (!isSameDigest(claims.device, deviceDigest(deviceId))) throw queueTokenInvalid()
  return claims
}
