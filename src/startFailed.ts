/** Why a process cannot start, in a sentence or two for the person who starts it: shown without a stack. */
export class StartFailed extends Error {
  override name = 'StartFailed'
}
