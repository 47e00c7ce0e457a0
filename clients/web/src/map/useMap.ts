import { useEffect, useState } from 'preact/hooks'
import type { HallPlan } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'

type MapChunk = typeof import('./index.ts')

/** The components that draw maps; null until they are loaded. Without them the lists still work. */
export function useMap(): MapChunk | null {
  const [chunk, setChunk] = useState<MapChunk | null>(null)
  useEffect(() => {
    import('./index.ts').then(setChunk, () => undefined)
  }, [])
  return chunk
}

/** The drawing of the hall, without its seats; undefined until it is loaded, null where it cannot be loaded. */
export function useHallPlan({ fairgate, event }: Page): HallPlan | null | undefined {
  const [plan, setPlan] = useState<HallPlan | null | undefined>(undefined)
  const eventId = event.value?.id
  useEffect(() => {
    if (eventId) fairgate.seatMap.plan(eventId).then(setPlan, () => setPlan(null))
  }, [eventId])
  return plan
}
