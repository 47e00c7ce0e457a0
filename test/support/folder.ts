import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { cleanUp } from './cleanUp.ts'

/** Makes a folder and removes it at clean-up. Other users may enter it, since PostgreSQL may run as one. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(inject('temporaryFolder'), `${name}-`))
  chmodSync(folder, 0o755)
  cleanUp(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
