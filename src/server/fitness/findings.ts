import { setTimeout as sleep } from 'node:timers/promises'
import { Unfit } from '../../unfit.ts'
import { withoutSecretsText } from '../../withoutSecrets.ts'

/** What the doctor found out about a part. Only an unfit part keeps Fairgate from its work. */
export interface Finding {
  readonly part: string
  readonly state: 'ok' | 'warning' | 'unfit'
  readonly text: string
}

const PATIENCE_MS = 8_000

/** Runs the check of a part, which returns its findings' texts. An error is one more finding: the part is unfit. */
export async function examinePart(
  part: string,
  check: () => Promise<{ ok: string; warnings?: (string | false)[] }>,
): Promise<Finding[]> {
  try {
    const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
      throw new Unfit(`does not answer within ${PATIENCE_MS / 1_000} s`)
    })
    const { ok, warnings = [] } = await Promise.race([check(), late])
    const given = warnings.filter((text) => text !== false)
    return [
      { part, state: 'ok', text: ok },
      ...given.map((text) => ({ part, state: 'warning' as const, text })),
    ]
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const reason = withoutSecretsText(message || String(code), 300)
    return [{ part, state: 'unfit', text: error instanceof Unfit ? reason : `cannot be used: ${reason}` }]
  }
}
