/**
 * A part of the installation works, and Fairgate cannot work with it. The message is the end of a sentence that begins with the
 * part, such as "needs PostgreSQL 18, this is 17.10". It has no secrets: `/readyz` shows it to every caller.
 */
export class Unfit extends Error {
  override name = 'Unfit'
}
