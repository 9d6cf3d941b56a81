import {
  addEmail,
  forgotPassword,
  getEmailSettings,
  getSecurity,
  listEmails,
  removeEmail,
  updateEmailSettings,
  type Email,
} from '#features/accounts/index.ts'
import { Button } from '../../components/button.tsx'
import { Card, CopyField } from '../../components/card.tsx'
import { Notice } from '../../components/flash.tsx'
import { ActionButton, Checkbox, Field, Form, FormActions, Select } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge, Chip } from '../../components/state.tsx'
import {
  action,
  redirectWithFlash,
  form,
  page,
  safeRedirectPath,
  type OutputOf,
  type Visit,
} from '../../site.ts'
import { sentenceCase } from '../../format.ts'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { sendsMail } from './sends-mail.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { t } from '../../text.ts'

/** The password, which the change requires. */
export const PasswordField = ({
  visit,
  id,
  label = t('Your password'),
  name = 'password',
}: {
  visit: Visit
  id: string
  label?: string
  name?: string
}) => (
  <Field
    id={id}
    name={name}
    label={label}
    type="password"
    required
    autocomplete="current-password"
    error={fieldError(visit, name)}
  />
)

/**
 * For accounts without a password, which a provider created: changes that require a password need
 * one first.
 */
export const NoPassword = ({ visit, next }: { visit: Visit; next: string }) => (
  <Notice kind="info" title={t('Your account has no password')}>
    {sendsMail(visit) ? (
      <>
        <p>
          {t('Changes here need a password. We mail a link to your primary address to set one.')}
        </p>
        <ActionButton action="/settings/security/password-link" csrf={visit.csrf} values={{ next }}>
          <Button>{t('Send link')}</Button>
        </ActionButton>
      </>
    ) : (
      <p>
        {t(
          'Changes here need a password. This site sends no mail: ask an administrator for a link to set one.',
        )}
      </p>
    )}
  </Notice>
)

const EmailRow = ({
  email,
  visit,
  changeable,
}: {
  email: Email
  visit: Visit
  changeable: boolean
}) => {
  const sent = visitForForm(visit, '/settings/emails/remove')
  const wasSent = sent.form.values.text('email') === email.email
  return (
    <Row
      title={<span class="mono">{email.email}</span>}
      meta={
        <>
          <Badge tone={email.verified ? 'good' : 'wait'}>
            {email.verified ? t('confirmed') : t('not confirmed')}
          </Badge>
          {email.primary && <Chip>{sentenceCase(t('primary'))}</Chip>}
          {email.backup && <Chip>{sentenceCase(t('backup'))}</Chip>}
        </>
      }
    >
      {!email.verified && (
        <ActionButton
          action="/settings/emails/confirmation"
          csrf={visit.csrf}
          values={{ email: email.email, next: '/settings/emails' }}
        >
          <Button small>{t('Send the link again')}</Button>
        </ActionButton>
      )}
      {changeable && !email.primary && (
        <details class="more" open={wasSent}>
          <summary>{t('Remove')}</summary>
          <Form
            action="/settings/emails/remove"
            csrf={visit.csrf}
            error={wasSent ? formError(sent, 'password') : null}
            label={t('Remove {email}', { email: email.email })}
          >
            <input type="hidden" name="email" value={email.email} />
            <PasswordField
              visit={wasSent ? sent : visitForForm(visit, '')}
              id={`remove-${email.email}`}
            />
            <FormActions>
              <Button variant="danger">{t('Remove address')}</Button>
            </FormActions>
          </Form>
        </details>
      )}
    </Row>
  )
}

const AddAddressCard = ({ visit, add }: { visit: Visit; add: Visit }) => (
  <Card title={t('Add an address')}>
    <Form action="/settings/emails" csrf={visit.csrf} error={formError(add, 'email', 'password')}>
      <Field
        name="email"
        label={t('Address')}
        type="email"
        required
        autocomplete="email"
        value={add.form.values.text('email')}
        error={fieldError(add, 'email')}
      />
      <PasswordField visit={add} id="add-password" />
      <FormActions>
        <Button variant="primary">{t('Add address')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const UsedAddressesCard = ({
  visit,
  confirmed,
  settings,
  use,
}: {
  visit: Visit
  confirmed: readonly { value: string; label: string }[]
  settings: OutputOf<typeof getEmailSettings>
  use: Visit
}) => (
  <Card title={t('Primary and backup address')}>
    <Form
      action="/settings/emails/use"
      csrf={visit.csrf}
      error={formError(use, 'primary', 'backup', 'password')}
    >
      <Select
        name="primary"
        label={t('Primary')}
        required
        options={confirmed}
        value={use.form.values.optional('primary') ?? settings.primary}
        error={fieldError(use, 'primary')}
      />
      <Select
        name="backup"
        label={t('Backup')}
        hint={t('A new password can be set through it as well.')}
        options={[{ value: '', label: t('None') }, ...confirmed]}
        value={use.form.error ? use.form.values.text('backup') : (settings.backup ?? '')}
        error={fieldError(use, 'backup')}
      />
      <PasswordField visit={use} id="use-password" />
      <FormActions>
        <Button>{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const PrivacyCard = ({
  visit,
  privacy,
  settings,
}: {
  visit: Visit
  privacy: Visit
  settings: OutputOf<typeof getEmailSettings>
}) => (
  <Card title={t('Privacy')}>
    <Form action="/settings/emails/privacy" csrf={visit.csrf} error={formError(privacy)}>
      <Checkbox
        name="private_email"
        label={t('Keep my address private')}
        checked={settings.private_email}
        hint={t('Commits made here carry the private address, and your profile shows none.')}
      />
      <Checkbox
        name="block_private_pushes"
        label={t('Refuse pushes that show one of my addresses')}
        checked={settings.block_private_pushes}
        hint={t('As author or committer of a new commit.')}
      />
      <CopyField
        label={t('Your private address')}
        id="private-address"
        value={settings.private_address}
      />
      <FormActions>
        <Button>{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)

export const emailsPage = page({
  path: '/settings/emails',
  load: async (visit) => {
    const [{ items }, settings, security] = await Promise.all([
      visit.call(listEmails, {}),
      visit.call(getEmailSettings, {}),
      visit.call(getSecurity, {}),
    ])
    return { emails: items, settings, changeable: security.has_password }
  },
  view: ({ emails, settings, changeable }, visit) => {
    const add = visitForForm(visit, '/settings/emails')
    const use = visitForForm(visit, '/settings/emails/use')
    const privacy = visitForForm(visit, '/settings/emails/privacy')
    const confirmed = emails
      .filter((email) => email.verified)
      .map(({ email }) => ({ value: email, label: email }))
    return (
      <SettingsFrame
        visit={visit}
        title={t('Email')}
        current="emails"
        lead={t('Your commits are recognized by your confirmed addresses.')}
      >
        {!changeable && <NoPassword visit={visit} next="/settings/emails" />}
        <List label={t('Your addresses')}>
          {emails.map((email) => (
            <EmailRow email={email} visit={visit} changeable={changeable} />
          ))}
        </List>
        {changeable && <AddAddressCard visit={visit} add={add} />}
        {changeable && confirmed.length > 0 && (
          <UsedAddressesCard visit={visit} confirmed={confirmed} settings={settings} use={use} />
        )}
        <PrivacyCard visit={visit} privacy={privacy} settings={settings} />
      </SettingsFrame>
    )
  },
})

export const addEmailForm = form({
  path: '/settings/emails',
  page: emailsPage,
  operation: addEmail,
  input: (fields) => ({ email: fields.text('email').trim(), password: fields.text('password') }),
  done: (_, visit) =>
    redirectWithFlash(
      visit,
      '/settings/emails',
      sendsMail(visit) ? 'email-added' : 'email-added-by-admin',
    ),
})

export const removeEmailForm = form({
  path: '/settings/emails/remove',
  page: emailsPage,
  operation: removeEmail,
  input: (fields) => ({ email: fields.text('email'), password: fields.text('password') }),
  done: (_, visit) => redirectWithFlash(visit, '/settings/emails', 'email-removed'),
})

export const useEmailsForm = form({
  path: '/settings/emails/use',
  page: emailsPage,
  operation: updateEmailSettings,
  input: (fields) => ({
    primary: fields.text('primary'),
    backup: fields.optional('backup') ?? null,
    password: fields.text('password'),
  }),
  done: (_, visit) => redirectWithFlash(visit, '/settings/emails', 'saved'),
})

export const emailPrivacyForm = form({
  path: '/settings/emails/privacy',
  page: emailsPage,
  operation: updateEmailSettings,
  input: (fields) => ({
    private_email: fields.ticked('private_email'),
    block_private_pushes: fields.ticked('block_private_pushes'),
  }),
  done: (_, visit) => redirectWithFlash(visit, '/settings/emails', 'saved'),
})

export const passwordLinkForm = action({
  path: '/settings/security/password-link',
  submit: async (visit, fields) => {
    const { primary } = await visit.call(getSecurity, {})
    await visit.call(forgotPassword, { email: primary })
    return redirectWithFlash(
      visit,
      safeRedirectPath(fields.text('next')) ?? '/settings/security',
      'password-link-sent',
    )
  },
})
