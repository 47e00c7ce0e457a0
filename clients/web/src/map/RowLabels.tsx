import type { Camera } from './camera/camera.ts'
import { remOf } from './geometry/rem.ts'
import { edgeOf, rowLabels } from './geometry/rowLabelPlaces.ts'
import type { SectionPlan } from './geometry/sectionPlan.ts'

/** The labels of the rows in sight, at both ends. A row that begins out of sight has its label at the edge. */
export function RowLabels({ plan, camera }: { plan: SectionPlan; camera: Camera }) {
  const view = camera.drawn.value
  const rem = remOf()
  const labels = rowLabels(plan, view, rem)
  return (
    <svg class="rows" aria-hidden="true">
      {labels.some(({ pinned }) => pinned) && (
        <rect class="gutter" width={2 * edgeOf(rem)} height={view.height} />
      )}
      {labels.map(({ key, label, x, y, pinned }) => (
        <text key={key} x={x} y={y} class={pinned ? 'pinned' : undefined}>
          {label}
        </text>
      ))}
    </svg>
  )
}
