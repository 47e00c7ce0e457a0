import { useSignal } from '@preact/signals'
import type { Page } from '../model/page.ts'

/** The sandbox's sign-in: any name, no password. */
export function SignIn({ page, label, then }: { page: Page; label: string; then: () => unknown }) {
  const busy = useSignal(false)
  async function submit(submitted: SubmitEvent) {
    submitted.preventDefault()
    const name = new FormData(submitted.currentTarget as HTMLFormElement).get('account')
    busy.value = true
    if (await page.signIn(String(name).trim())) await then()
    busy.value = false
  }
  return (
    <form class="signin" onSubmit={submit}>
      <label for="account">Account name</label>
      <div class="row">
        <input
          id="account"
          name="account"
          required
          maxLength={64}
          pattern=".*\S.*"
          title="At least one letter or digit"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby="sandbox"
        />
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? 'One moment…' : label}
        </button>
      </div>
      <p id="sandbox" class="faint">
        This is the sandbox’s sign-in: any name works and nothing is checked. A real sale signs you in with
        your ticket account.
      </p>
    </form>
  )
}
