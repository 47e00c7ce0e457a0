/*
 * Preloaded into a process: its machine's clock is off by so many hours as its address says, `clockOff.ts?hours=-1`.
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
