import { useMemo } from 'preact/hooks'
import type { HallPlan } from '../../../sdk/index.ts'
import { hallDrawing } from './geometry/hallPlan.ts'
import { HallMap, type HallMapProps } from './HallMap.tsx'

/** The hall from above, where the plan says where its sections are. */
export function HallFigure({ plan, ...props }: { plan: HallPlan } & Omit<HallMapProps, 'drawing'>) {
  const { sections } = props.event
  const drawing = useMemo(() => hallDrawing(sections, plan), [sections, plan])
  return drawing && <HallMap {...props} drawing={drawing} />
}
