/*
 * Preloaded into a process. It shifts the machine's clock by the hours in its own address: `clockOff.ts?hours=-1`.
 */
const off = Number(new URL(import.meta.url).searchParams.get('hours')) * 3_600_000
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [RealDate.now() + off] : parts) as []))
  }
  static override now() {
    return RealDate.now() + off
  }
} as DateConstructor
