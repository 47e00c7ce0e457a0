import { t } from '../i18n/texts.ts'
import type { CallMe } from '../model/callMe.ts'

/** Offers notifications at about five minutes and at the turn. */
export function CallMeButton({ callMe }: { callMe: CallMe }) {
  const state = callMe.state.value
  if (state === 'unsupported') return null
  return (
    <div class="callme">
      {state === 'on' ? (
        <button type="button" class="quiet" onClick={callMe.turnOff}>
          {t('line.doNotCall')}
        </button>
      ) : (
        <button type="button" onClick={() => void callMe.turnOn()}>
          {t('line.callMe')}
        </button>
      )}
      <p class="faint" role="status">
        {state === 'on'
          ? t('line.willCall')
          : state === 'blocked'
            ? t('line.callBlocked')
            : t('line.callMeHow')}
      </p>
    </div>
  )
}
