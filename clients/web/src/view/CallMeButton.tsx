import { t } from '../i18n/texts.ts'
import type { CallMe } from '../model/callMe.ts'

/** Offers a call at about five minutes and at the turn. */
export function CallMeButton({ callMe }: { callMe: CallMe }) {
  const isOn = callMe.state.value === 'on'
  return (
    <div class="callme">
      {isOn ? (
        <button type="button" class="quiet" onClick={() => void callMe.turnOff()}>
          {t('line.doNotCall')}
        </button>
      ) : (
        <button type="button" onClick={() => void callMe.turnOn()}>
          {t('line.callMe')}
        </button>
      )}
      <p class="faint" role="status">
        {isOn
          ? onText(callMe)
          : callMe.state.value === 'blocked'
            ? t('line.callBlocked')
            : t('line.callMeHow')}
      </p>
    </div>
  )
}

function onText({ whileClosed }: CallMe): string {
  if (whileClosed.value === 'push') return t('line.willCallClosed')
  return whileClosed.value === 'mail' ? t('line.willMail') : t('line.willCall')
}
