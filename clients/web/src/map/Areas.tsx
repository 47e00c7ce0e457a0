import type { PlanArea } from '../../../sdk/index.ts'

/** The stage, the field and the scenery of a plan. `turn`: the turn of the drawing in degrees; texts stay upright. */
export function Areas({ areas, turn = 0 }: { areas: readonly PlanArea[]; turn?: number }) {
  return (
    <g class="areas">
      {areas.map((area, i) => (
        <g key={i} transform={`translate(${area.x} ${area.y}) rotate(${area.rotation})`}>
          <g class={area.feature ? 'area feature' : 'area'} style={colorsOf(area)}>
            <Shape area={area} />
          </g>
          {area.text?.text && (
            <text
              class="areatext"
              font-size={area.text.size}
              transform={`translate(${area.text.x} ${area.text.y}) rotate(${upright(area.rotation + turn)})`}
            >
              {area.text.text}
            </text>
          )}
        </g>
      ))}
    </g>
  )
}

function Shape({ area: { kind, width, height, radiusX, radiusY, points } }: { area: PlanArea }) {
  if (kind === 'RECTANGLE') return <rect width={width ?? 0} height={height ?? 0} />
  if (kind === 'POLYGON') return <polygon points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
  if (kind === 'TEXT') return null
  return <ellipse rx={radiusX ?? 0} ry={radiusY ?? 0} />
}

function colorsOf({ color, borderColor }: PlanArea) {
  return { ...(color && { '--area': color }), ...(borderColor && { '--border': borderColor }) }
}

/** The turn that a text needs, beyond its area's, so that it never stands on its head. */
function upright(degrees: number): number {
  const turned = ((degrees % 360) + 360) % 360
  return turned > 90 && turned < 270 ? 180 : 0
}
