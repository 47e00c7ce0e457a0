/** A process cannot start. The message is one or two sentences for the operator, shown without a stack. */
export class StartFailed extends Error {
  override name = 'StartFailed'
}
