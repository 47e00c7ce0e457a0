import { useId } from 'preact/hooks'
import { guilloche } from './pattern.ts'

/** An ornament, hidden from screen readers. */
export function Guilloche({ text, width, height }: { text: string; width: number; height: number }) {
  const ink = useId()
  return (
    <svg class="guilloche" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <linearGradient id={ink} x1="0" x2="1" y1="0" y2="0.2">
        <stop offset="0" class="ink-1" />
        <stop offset="0.55" class="ink-2" />
        <stop offset="1" class="ink-3" />
      </linearGradient>
      {guilloche(text, width, height).map((path) => (
        <path key={path} d={path} stroke={`url(#${ink})`} />
      ))}
    </svg>
  )
}
