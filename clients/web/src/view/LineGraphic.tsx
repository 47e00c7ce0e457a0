import type { QueuePosition } from '../../../sdk/index.ts'

const PEOPLE = 34

/** Draws the line from the gate to the last fan. One figure stands for several fans in a long line. */
export function LineGraphic({ position, waiting }: { position: QueuePosition; waiting: number }) {
  const { state, position: number } = position
  const length = Math.max(waiting, number ?? 0, 1)
  const figures = Math.min(PEOPLE, length)
  const you = number === null ? null : Math.min(figures - 1, Math.floor(((number - 1) / length) * figures))
  return (
    <div class={state === 'PRE_QUEUE' ? 'graphic early' : 'graphic'} aria-hidden="true">
      <span class="post" />
      {Array.from({ length: figures }, (_, i) => (
        <i
          key={i}
          class={you === null ? '' : i === you ? 'you' : i < you ? 'ahead' : ''}
          style={{ '--height': `${62 + ((i * 7919) % 31)}%` }}
        />
      ))}
    </div>
  )
}
