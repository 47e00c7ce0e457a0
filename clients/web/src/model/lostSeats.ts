import { formatter, t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import type { Notice, Notices } from './notice.ts'

/** Reports chosen seats that other fans have taken. Seats that are lost one after the other share one notice. */
export function createLostSeats({ notices, announcer }: { notices: Notices; announcer: Announcer }) {
  let last: { notice: Notice; names: readonly string[] } | null = null
  return {
    /** `drop`: puts the seats back, which clears the notice that stands. */
    report(names: readonly string[], drop: () => void) {
      const all = [...(last && last.notice === notices.current.value ? last.names : []), ...names]
      drop()
      announcer.interrupt(takenText(names))
      last = { notice: { tone: 'news', text: takenText(all) }, names: all }
      notices.show(last.notice)
    },
  }
}

function takenText(names: readonly string[]): string {
  return t('map.justTaken', { seats: formatter().list(names), count: names.length })
}
