import { chmod, chown, mkdir } from 'node:fs/promises'

/** The modes of folders and files with data of fans, keys or logs: their owner's alone. */
export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600
/** The group may go through the folder to what it owns inside, and reads nothing else. */
const PASSABLE_FOLDER = 0o710

/**
 * Makes a folder that only this user may enter, and the group `gid` where it is given. An existing folder keeps its
 * modes unless `isOurs`: it may be a folder of the user's.
 */
export async function makePrivate(
  folder: string,
  { gid, isOurs = false }: { gid?: number; isOurs?: boolean } = {},
): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (made === undefined && !isOurs) return
  if (gid !== undefined) await chown(folder, process.getuid?.() ?? -1, gid)
  await chmod(folder, gid === undefined ? PRIVATE_FOLDER : PASSABLE_FOLDER)
}
