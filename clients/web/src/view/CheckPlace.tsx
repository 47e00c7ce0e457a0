import { useSignal } from '@preact/signals'
import type { Draw, QueuePosition } from '../../../sdk/index.ts'
import { type Checks, checkPlace } from '../draw/checkPlace.ts'
import { type Noted, readNoted } from '../draw/noted.ts'
import { shareCard } from '../draw/placeCard.ts'
import { formatter, locale, t } from '../i18n/texts.ts'
import { clockOf } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'

type State =
  | { readonly name: 'ready' | 'failed' }
  | { readonly name: 'checking'; readonly share: number }
  | { readonly name: 'done'; readonly checks: Checks; readonly noted: Noted | null }

interface CheckPlaceProps {
  page: Page
  draw: Draw
  position: QueuePosition
}

/** Makes the whole draw again in this browser, and compares it with what this device noted before the draw. */
export function CheckPlace({ page, draw, position }: CheckPlaceProps) {
  const state = useSignal<State>({ name: 'ready' })
  const { eventId, arrival, place } = position
  const { seed, size } = draw
  if (seed === null || size === null || place === null) return null
  async function check(known: { seed: string; size: number; place: number }) {
    const noted = readNoted(localStorage, eventId, arrival)
    state.value = { name: 'checking', share: 0 }
    try {
      const checks = await checkPlace({ ...draw, ...known, eventId, arrival, noted }, (share) => {
        state.value = { name: 'checking', share }
      })
      state.value = { name: 'done', checks, noted }
    } catch {
      state.value = { name: 'failed' }
    }
  }
  const now = state.value
  return (
    <div class="check">
      {now.name === 'checking' ? (
        <p role="status">
          {t('line.checkingPlace', { size })}
          <span class="gauge" style={{ '--share': now.share }} />
        </p>
      ) : now.name === 'done' ? (
        <Result page={page} draw={draw} position={position} checks={now.checks} noted={now.noted} />
      ) : (
        <>
          <button type="button" onClick={() => void check({ seed, size, place })}>
            {t('line.checkMyPlace')}
          </button>
          {now.name === 'failed' && <p role="status">{t('line.cannotCheck')}</p>}
        </>
      )}
    </div>
  )
}

function Result({
  page,
  draw,
  position,
  checks,
  noted,
}: CheckPlaceProps & { checks: Checks; noted: Noted | null }) {
  const isRight = checks.noted !== false && checks.seed && checks.place
  const place = position.place ?? 0
  const size = draw.size ?? 0
  return (
    <>
      <p role="status" class={isRight ? 'verdict' : 'verdict wrong'}>
        <strong>{isRight ? t('line.placeIsRight') : t('line.placeIsWrong')}</strong>
      </p>
      <ul class="checks">
        <Check
          ok={checks.noted}
          text={
            noted
              ? t(checks.noted ? 'line.sameAsNoted' : 'line.differsFromNoted', { time: clockOf(noted.at) })
              : t('line.notNoted')
          }
        />
        <Check ok={checks.seed} text={t(checks.seed ? 'line.seedFits' : 'line.seedDiffers')} />
        <Check
          ok={checks.place}
          text={t(checks.place ? 'line.placeFits' : 'line.placeDiffers', { size, computed: checks.computed })}
        />
      </ul>
      {isRight && (
        <button
          type="button"
          onClick={() =>
            void shareCard({
              event: page.event.value?.name ?? '',
              label: t('line.yourPlace'),
              place: formatter().number(place),
              of: t('line.ofDrawn', { size }),
              checked: t('line.checkedOnDevice'),
              address: `${location.host}${location.pathname}`,
              direction: locale().direction,
            })
          }
        >
          {t('line.shareCard')}
        </button>
      )}
    </>
  )
}

function Check({ ok, text }: { ok: boolean | null; text: string }) {
  return <li class={ok === null ? 'open' : ok ? 'ok' : 'wrong'}>{text}</li>
}
