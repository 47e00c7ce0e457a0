import { t } from '../i18n/texts.ts'

/** The field of the sandbox's sign-in: any name, no password. */
export function AccountField() {
  return (
    <>
      <label for="account">{t('page.accountName')}</label>
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
    </>
  )
}

export function AccountHint() {
  return (
    <p id="sandbox" class="faint">
      {t('page.sandboxSignIn')}
    </p>
  )
}
