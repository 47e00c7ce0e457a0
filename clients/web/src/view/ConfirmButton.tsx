import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface ConfirmButtonProps {
  label: string
  question: string
  stay: string
  go: string
  disabled: boolean
  run(): void
}

/**
 * A button for an action that cannot be undone. It first shows a question in its own position, so that the second tap of
 * a double tap on another button does no harm.
 */
export function ConfirmButton({ label, question, stay, go, disabled, run }: ConfirmButtonProps) {
  const open = useSignal(false)
  const shown = useRef(false)
  const first = useRef<HTMLButtonElement>(null)
  const id = useId()
  // A layout effect, because the focused button has gone and the focus must move before the next key press.
  useLayoutEffect(() => {
    // Not at the first rendering, when the question has not been open yet. The page does not scroll: otherwise the
    // second tap of a double tap could hit the confirming button, which is below the first button.
    if (shown.current !== open.value) first.current?.focus({ preventScroll: true })
    shown.current = open.value
  }, [open.value])
  const back = () => {
    open.value = false
  }
  if (!open.value) {
    return (
      <button ref={first} type="button" class="quiet" disabled={disabled} onClick={() => (open.value = true)}>
        {label}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups a form's fields, and this is no field
    <div
      class="confirm"
      role="group"
      aria-labelledby={id}
      onKeyDown={({ key }) => {
        if (key === 'Escape') back()
      }}
    >
      <p id={id}>{question}</p>
      <button key="stay" ref={first} type="button" onClick={back}>
        {stay}
      </button>
      <button key="go" type="button" class="quiet" disabled={disabled} onClick={run}>
        {go}
      </button>
    </div>
  )
}
