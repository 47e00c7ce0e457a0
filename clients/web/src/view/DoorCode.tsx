import { useEffect, useRef } from 'preact/hooks'
import type { Ticket } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { t } from '../i18n/texts.ts'
import { QrCode } from './QrCode.tsx'

interface DoorCodeProps {
  tickets: readonly Ticket[]
  /** Of the ticket on show. */
  index: number
  show(index: number): void
  close(): void
}

/** One code on the whole screen, which stays on. The background is white in every colour scheme, for the scanner. */
export function DoorCode({ tickets, index, show, close }: DoorCodeProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const ticket = tickets[index]
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(keepScreenOn, [])
  if (!ticket?.barcode) return null
  const place = placeOf(ticket)
  return (
    <dialog
      ref={dialog}
      class="door"
      aria-label={t('tickets.codeFor', { seat: place })}
      onClose={close}
      onKeyDown={({ key }) => {
        const forward = document.documentElement.dir === 'rtl' ? -1 : 1
        if (key === 'ArrowRight') step(forward)
        if (key === 'ArrowLeft') step(-forward)
      }}
    >
      <p class="place">
        <span>{ticket.section.name}</span>
        {ticket.seat && <strong>{seatName(ticket.seat)}</strong>}
      </p>
      <QrCode text={ticket.barcode} label={t('tickets.codeFor', { seat: place })} />
      <p class="hint">{t('tickets.makeBright')}</p>
      <div class="row">
        {tickets.length > 1 && (
          <button
            type="button"
            aria-label={t('tickets.previous')}
            aria-disabled={index === 0}
            onClick={() => step(-1)}
          >
            <span aria-hidden="true">‹</span>
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {t('tickets.close')}
        </button>
        {tickets.length > 1 && (
          <button
            type="button"
            aria-label={t('tickets.next')}
            aria-disabled={index === tickets.length - 1}
            onClick={() => step(1)}
          >
            <span aria-hidden="true">›</span>
          </button>
        )}
      </div>
      {tickets.length > 1 && (
        <p class="hint" role="status">
          {t('tickets.position', { index: index + 1, count: tickets.length })}
        </p>
      )}
    </dialog>
  )

  function step(by: number) {
    const next = index + by
    if (next >= 0 && next < tickets.length) show(next)
  }
}

export function placeOf({ seat, section }: Ticket): string {
  return seat ? seatName(seat) : section.name
}

/** Asks the browser to keep the screen on, again each time the page comes back. Returns the function that ends it. */
function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | undefined
  let ended = false
  async function ask() {
    if (document.visibilityState !== 'visible') return
    // A browser without the API, or with an empty battery, refuses: the code shows anyway.
    lock = await navigator.wakeLock?.request('screen').catch(() => undefined)
    if (ended) void lock?.release()
  }
  void ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    ended = true
    document.removeEventListener('visibilitychange', ask)
    void lock?.release()
  }
}
