import { enableTwoFactor, getTwoFactorSetup, startTwoFactor } from '#features/accounts/index.ts'
import { Button } from '../../components/button.tsx'
import { Card, CopyField } from '../../components/card.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { action, redirectWithFlash, page, redirect } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { showCodes } from './recovery-codes.tsx'
import { SECURITY as AT, securityPage } from './security.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { rich, t } from '../../text.ts'

export const twoFactorPage = page({
  path: `${AT}/two-factor`,
  load: async (visit) => (await visit.call(getTwoFactorSetup, {})) ?? redirect(AT, 302),
  view: ({ secret, uri, picture }, visit) => (
    <SettingsFrame
      visit={visit}
      title={t('Set up an authenticator')}
      current="security"
      lead={t('Scan this with the app, then type the code that it shows.')}
    >
      <Card>
        <svg
          class="qr"
          viewBox={`0 0 ${picture.size} ${picture.size}`}
          role="img"
          aria-label={t('The secret as a picture to scan')}
          shape-rendering="crispEdges"
        >
          <rect width={picture.size} height={picture.size} fill="#fff" />
          <path d={picture.path} fill="#000" />
        </svg>
        <p>
          {rich('<a>Open it in the app on this device</a>, or type the secret:', {
            a: (inner) => <a href={uri}>{inner}</a>,
          })}
        </p>
        <CopyField label={t('Secret')} hideLabel id="authenticator-secret" value={secret} />
        <Form action={`${AT}/two-factor`} csrf={visit.csrf} error={formError(visit, 'code')}>
          <Field
            name="code"
            label={t('Code')}
            required
            mono
            autofocus
            autocomplete="one-time-code"
            inputmode="numeric"
            maxlength={7}
            hint={t('Six digits.')}
            error={fieldError(visit, 'code')}
          />
          <FormActions>
            <Button variant="primary">{t('Enable')}</Button>
            <a href={AT}>{t('Not now')}</a>
          </FormActions>
        </Form>
      </Card>
    </SettingsFrame>
  ),
})

export const startTwoFactorForm = action({
  path: `${AT}/two-factor/start`,
  page: securityPage,
  submit: async (visit) => {
    await visit.call(startTwoFactor, {})
    return `${AT}/two-factor`
  },
})

export const enableTwoFactorForm = action({
  path: `${AT}/two-factor`,
  page: twoFactorPage,
  submit: async (visit, fields) => {
    const { recovery_codes } = await visit.call(enableTwoFactor, {
      code: fields.text('code').trim(),
    })
    return showCodes(visit, recovery_codes, () => redirectWithFlash(visit, AT, 'two-factor-on'))
  },
})
