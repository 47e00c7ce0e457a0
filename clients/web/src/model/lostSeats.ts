import type { Seat } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import type { Notice, Notices } from './notice.ts'

/** Reports chosen seats that other fans have taken. Seats that are lost one after the other share one notice. */
export function createLostSeats({ notices, announcer }: { notices: Notices; announcer: Announcer }) {
  let last: { notice: Notice; seats: readonly Seat[] } | null = null
  return {
    /** `drop`: puts the seats back, which clears the notice that stands. */
    report(seats: readonly Seat[], drop: () => void) {
      const all = [...(last && last.notice === notices.current.value ? last.seats : []), ...seats]
      drop()
      announcer.interrupt(takenText(seats))
      last = { notice: { tone: 'news', text: () => takenText(all) }, seats: all }
      notices.show(last.notice)
    },
  }
}

function takenText(seats: readonly Seat[]): string {
  return t('map.justTaken', { seats: formatter().list(seats.map(seatName)), count: seats.length })
}
