import { t } from '../i18n/texts.ts'
import type { Notices } from '../model/notice.ts'

export function NoticeBar({ notices }: { notices: Notices }) {
  const notice = notices.current.value
  return (
    <div role="alert" class="notices">
      {notice && (
        <div class={`notice ${notice.tone}`}>
          <p>{notice.text()}</p>
          <div class="row">
            {notice.actions?.().map(({ label, run }) => (
              <button type="button" key={label} onClick={run}>
                {label}
              </button>
            ))}
            <button type="button" class="quiet" aria-label={t('page.dismiss')} onClick={notices.clear}>
              ×
            </button>
          </div>
        </div>
      )}
    </div>
  )
}
