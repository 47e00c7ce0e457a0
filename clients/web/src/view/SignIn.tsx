import { useSignal } from '@preact/signals'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { AccountField, AccountHint } from './AccountField.tsx'

/** Signs in, and then does what the button says. */
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
      <AccountField />
      <button type="submit" class="primary" disabled={busy.value}>
        {busy.value ? t('page.oneMoment') : label}
      </button>
      <AccountHint />
    </form>
  )
}
