import { useSignal } from '@preact/signals'
import { t } from '../i18n/texts.ts'
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
      <label for="account">{t('page.accountName')}</label>
      <div class="row">
        <input
          id="account"
          name="account"
          required
          maxLength={64}
          pattern=".*\S.*"
          title={t('page.accountNameRule')}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby="sandbox"
        />
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? t('page.oneMoment') : label}
        </button>
      </div>
      <p id="sandbox" class="faint">
        {t('page.sandboxSignIn')}
      </p>
    </form>
  )
}
