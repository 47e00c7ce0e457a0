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
 * A button for what cannot be taken back: it asks first, in its own place, so that the second tap of a
 * double tap that meant another button does no harm.
 */
export function ConfirmButton({ label, question, stay, go, disabled, run }: ConfirmButtonProps) {
  const asked = useSignal(false)
  const shown = useRef(false)
  const first = useRef<HTMLButtonElement>(null)
  const id = useId()
  // Before anything else can be pressed: the button that had the focus is gone.
  useLayoutEffect(() => {
    // The first time is the page's own: nobody has been asked yet. Nothing moves, lest the second tap of a
    // double tap lands on the answer that cannot be taken back: it stands below where the button was.
    if (shown.current !== asked.value) first.current?.focus({ preventScroll: true })
    shown.current = asked.value
  }, [asked.value])
  const back = () => {
    asked.value = false
  }
  if (!asked.value) {
    return (
      <button
        ref={first}
        type="button"
        class="quiet"
        disabled={disabled}
        onClick={() => (asked.value = true)}
      >
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
