import {
  addPasskey,
  setPassword,
  disableTwoFactor,
  getSecurity,
  removeIdentity,
  removePasskey,
  renewRecoveryCodes,
  startPasskey,
  type Identity,
  type Passkey,
  type Security,
} from '#features/accounts/index.ts'
import { listSignOnProviders } from '#features/sso/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/flash.tsx'
import { ActionButton, Field, Form, FormActions } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { action, redirectWithFlash, form, page, type Visit } from '../../site.ts'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { NoPassword, PasswordField } from './emails.tsx'
import { PasskeyForm } from './passkey-form.tsx'
import { showCodes } from './recovery-codes.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { rich, t } from '../../text.ts'

export const SECURITY = '/settings/security'
const AT = SECURITY

const PasswordCard = ({ visit }: { visit: Visit }) => {
  const sent = visitForForm(visit, `${AT}/password`)
  return (
    <Card title={t('Password')}>
      <Form
        action={`${AT}/password`}
        csrf={visit.csrf}
        error={formError(sent, 'current', 'password')}
      >
        <PasswordField visit={sent} id="current" name="current" label={t('Current password')} />
        <Field
          id="new-password"
          name="password"
          label={t('New password')}
          type="password"
          required
          minlength={10}
          autocomplete="new-password"
          hint={t('At least 10 characters. Other browsers are signed out.')}
          error={fieldError(sent, 'password')}
        />
        <FormActions>
          <Button>{t('Change password')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const AuthenticatorCard = ({ visit, security }: { visit: Visit; security: Security }) => {
  const sent = visitForForm(visit, `${AT}/two-factor/remove`)
  return (
    <Card
      title={t('Authenticator')}
      actions={
        <Badge tone={security.authenticator_since ? 'good' : 'plain'}>
          {security.authenticator_since ? t('on') : t('off')}
        </Badge>
      }
    >
      {security.authenticator_since ? (
        <>
          <p>
            {rich('An app gives you a code for every sign-in, since {time}.', {
              time: <RelativeTime at={security.authenticator_since} />,
            })}
          </p>
          {security.has_password && (
            <Form
              action={`${AT}/two-factor/remove`}
              csrf={visit.csrf}
              error={formError(sent, 'password')}
            >
              <PasswordField visit={sent} id="two-factor-password" />
              <FormActions>
                <Button variant="danger">{t('Remove authenticator')}</Button>
              </FormActions>
            </Form>
          )}
        </>
      ) : (
        <>
          <p>
            {t(
              'An app on your phone gives you a code for every sign-in. Whoever has your password cannot get in without it.',
            )}
          </p>
          <ActionButton action={`${AT}/two-factor/start`} csrf={visit.csrf}>
            <Button variant="primary">{t('Set up authenticator')}</Button>
          </ActionButton>
        </>
      )}
    </Card>
  )
}

const RecoveryCard = ({ visit, security }: { visit: Visit; security: Security }) => {
  const sent = visitForForm(visit, `${AT}/recovery`)
  return (
    <Card
      title={t('Recovery codes')}
      actions={
        <Badge tone={security.recovery_codes_left > 3 ? 'good' : 'wait'}>
          {rich('{recovery_codes_left} left', {
            recovery_codes_left: security.recovery_codes_left,
          })}
        </Badge>
      }
    >
      <p>{t('Each signs you in once, in place of a second factor that is lost.')}</p>
      {security.has_password && (
        <Form action={`${AT}/recovery`} csrf={visit.csrf} error={formError(sent, 'password')}>
          <PasswordField visit={sent} id="recovery-password" />
          <FormActions>
            <Button>{t('Generate new codes')}</Button>
          </FormActions>
        </Form>
      )}
    </Card>
  )
}

const PasskeyRow = ({
  passkey,
  visit,
  changeable,
}: {
  passkey: Passkey
  visit: Visit
  changeable: boolean
}) => {
  const sent = visitForForm(visit, `${AT}/passkeys/remove`)
  const wasSent = sent.form.values.text('id') === passkey.id
  return (
    <Row
      title={<strong>{passkey.name}</strong>}
      meta={
        <>
          <span>{rich('Added {time}', { time: <RelativeTime at={passkey.created_at} /> })}</span>
          <span>
            {passkey.last_used_at === null
              ? t('Never used')
              : rich('Last used {time}', { time: <RelativeTime at={passkey.last_used_at} /> })}
          </span>
          <span>{passkey.backed_up ? t('Synced by its provider') : t('On one device only')}</span>
        </>
      }
    >
      {changeable && (
        <details class="more" open={wasSent}>
          <summary>{t('Remove')}</summary>
          <Form
            action={`${AT}/passkeys/remove`}
            csrf={visit.csrf}
            error={wasSent ? formError(sent, 'password') : null}
            label={t('Remove {name}', { name: passkey.name })}
          >
            <input type="hidden" name="id" value={passkey.id} />
            <PasswordField
              visit={wasSent ? sent : visitForForm(visit, '')}
              id={`remove-${passkey.id}`}
            />
            <FormActions>
              <Button variant="danger">{t('Remove passkey')}</Button>
            </FormActions>
          </Form>
        </details>
      )}
    </Row>
  )
}

/** Why no passkey can be made at the address of the site. */
const NoPasskeys = ({ siteUrl }: { siteUrl: string }) => (
  <p class="muted">
    {rich(
      'Browsers create passkeys only for a domain name with https. The address of this site is {address}; an administrator changes it with {setting}.',
      { address: <code>{siteUrl}</code>, setting: <code>site_url</code> },
    )}
  </p>
)

const PasskeysCard = ({
  visit,
  security,
  passkey,
}: {
  visit: Visit
  security: Security
  passkey: { options: string; state: string } | null
}) => {
  const sent = visitForForm(visit, `${AT}/passkeys`)
  return (
    <Card
      title={t('Passkeys')}
      actions={
        <Badge tone={security.passkeys.length > 0 ? 'good' : 'plain'}>
          {security.passkeys.length > 0 ? t('on') : t('off')}
        </Badge>
      }
    >
      <p>{t('Your device or a security key signs you in, with or without the password.')}</p>
      {security.passkeys.length > 0 && (
        <List label={t('Your passkeys')}>
          {security.passkeys.map((one) => (
            <PasskeyRow passkey={one} visit={visit} changeable={security.has_password} />
          ))}
        </List>
      )}
      {formError(sent) && (
        <Notice kind="bad">
          <p>{formError(sent)}</p>
        </Notice>
      )}
      {passkey ? (
        <PasskeyForm
          action={`${AT}/passkeys`}
          csrf={visit.csrf}
          kind="create"
          passkey={passkey}
          explained
        >
          <Field
            id="passkey-name"
            name="name"
            label={t('Name')}
            maxlength={64}
            hint={t('Which device it is on.')}
            value={sent.form.values.text('name')}
          />
          <FormActions>
            <Button>{t('Add a passkey')}</Button>
          </FormActions>
        </PasskeyForm>
      ) : (
        <NoPasskeys siteUrl={visit.hearth.settings.site_url} />
      )}
    </Card>
  )
}

const IdentityRow = ({
  identity,
  name,
  visit,
  changeable,
}: {
  identity: Identity
  name: string
  visit: Visit
  changeable: boolean
}) => {
  const sent = visitForForm(visit, `${AT}/unlink`)
  const wasSent = sent.form.values.text('subject') === identity.subject
  return (
    <Row
      title={<strong>{name}</strong>}
      meta={
        <>
          <span>{identity.label}</span>
          <span>
            {rich('Last used {time}', { time: <RelativeTime at={identity.last_used_at} /> })}
          </span>
        </>
      }
    >
      {changeable && (
        <details class="more" open={wasSent}>
          <summary>{t('Unlink')}</summary>
          <Form
            action={`${AT}/unlink`}
            csrf={visit.csrf}
            error={wasSent ? formError(sent, 'password') : null}
            label={t('Unlink {name}', { name })}
          >
            <input type="hidden" name="provider" value={identity.provider} />
            <input type="hidden" name="subject" value={identity.subject} />
            <PasswordField
              visit={wasSent ? sent : visitForForm(visit, '')}
              id={`unlink-${identity.provider}`}
            />
            <FormActions>
              <Button variant="danger">{t('Unlink')}</Button>
            </FormActions>
          </Form>
        </details>
      )}
    </Row>
  )
}

type SignInMethods = {
  providers: readonly { id: string; name: string }[]
  directory: string | null
  proxy: string | null
}

const IdentitiesCard = ({
  visit,
  security,
  methods,
}: {
  visit: Visit
  security: Security
  methods: SignInMethods
}) => {
  // The proxy's user can be linked while the proxy names one.
  const all =
    methods.proxy !== null && visit.proxyUser !== null
      ? [
          ...methods.providers,
          { id: 'header', name: `${methods.proxy} (${visit.proxyUser.username})` },
        ]
      : methods.providers
  const left = all.filter(({ id }) => !security.identities.some(({ provider }) => provider === id))
  const nameOf = (id: string): string =>
    (id === 'ldap'
      ? methods.directory
      : id === 'header'
        ? methods.proxy
        : methods.providers.find((one) => one.id === id)?.name) ?? id
  return (
    <Card title={t('Sign-in through your organization')}>
      {security.identities.length > 0 && (
        <List label={t('Linked sign-ins')}>
          {security.identities.map((identity) => (
            <IdentityRow
              identity={identity}
              name={nameOf(identity.provider)}
              visit={visit}
              changeable={security.has_password}
            />
          ))}
        </List>
      )}
      {left.length > 0 && (
        <div class="actions">
          {left.map(({ id, name }) => (
            <ActionButton action={`${AT}/link`} csrf={visit.csrf} values={{ provider: id }}>
              <Button icon="link">{rich('Link {name}', { name })}</Button>
            </ActionButton>
          ))}
        </div>
      )}
    </Card>
  )
}

export const securityPage = page({
  path: AT,
  load: async (visit) => {
    const [security, passkey, methods] = await Promise.all([
      visit.call(getSecurity, {}),
      visit.call(startPasskey, {}),
      visit.call(listSignOnProviders, {}),
    ])
    return { security, passkey, methods }
  },
  view: ({ security, passkey, methods }, visit) => (
    <SettingsFrame
      visit={visit}
      title={t('Security')}
      current="security"
      lead={t('How you sign in.')}
    >
      {security.has_password ? (
        <PasswordCard visit={visit} />
      ) : (
        <NoPassword visit={visit} next={AT} />
      )}
      <AuthenticatorCard visit={visit} security={security} />
      <PasskeysCard visit={visit} security={security} passkey={passkey} />
      {security.two_factor_enabled && <RecoveryCard visit={visit} security={security} />}
      {(methods.providers.length > 0 ||
        security.identities.length > 0 ||
        (methods.proxy !== null && visit.proxyUser !== null)) && (
        <IdentitiesCard visit={visit} security={security} methods={methods} />
      )}
    </SettingsFrame>
  ),
})

export const removeTwoFactorForm = form({
  path: `${AT}/two-factor/remove`,
  page: securityPage,
  operation: disableTwoFactor,
  input: (fields) => ({ password: fields.text('password') }),
  done: (_, visit) => redirectWithFlash(visit, AT, 'authenticator-removed'),
})

export const recoveryForm = form({
  path: `${AT}/recovery`,
  page: securityPage,
  operation: renewRecoveryCodes,
  input: (fields) => ({ password: fields.text('password') }),
  done: ({ recovery_codes }, visit) => showCodes(visit, recovery_codes, () => AT),
})

export const addPasskeyForm = action({
  path: `${AT}/passkeys`,
  page: securityPage,
  submit: async (visit, fields) => {
    const { recovery_codes } = await visit.call(addPasskey, {
      name: fields.text('name'),
      state: fields.text('state'),
      response: fields.text('response'),
    })
    return showCodes(visit, recovery_codes, () => redirectWithFlash(visit, AT, 'passkey-added'))
  },
})

export const removePasskeyForm = form({
  path: `${AT}/passkeys/remove`,
  page: securityPage,
  operation: removePasskey,
  input: (fields) => ({ id: fields.text('id'), password: fields.text('password') }),
  done: (_, visit) => redirectWithFlash(visit, AT, 'passkey-removed'),
})

export const unlinkForm = form({
  path: `${AT}/unlink`,
  page: securityPage,
  operation: removeIdentity,
  input: (fields) => ({
    provider: fields.text('provider'),
    subject: fields.text('subject'),
    password: fields.text('password'),
  }),
  done: (_, visit) => redirectWithFlash(visit, AT, 'identity-removed'),
})

export const changePasswordForm = form({
  path: `${AT}/password`,
  page: securityPage,
  operation: setPassword,
  input: (fields) => ({ current: fields.text('current'), password: fields.text('password') }),
  done: (_, visit) => redirectWithFlash(visit, AT, 'password-changed'),
})
