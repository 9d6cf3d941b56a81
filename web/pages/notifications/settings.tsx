import {
  createFeedToken,
  DIGESTS,
  getNotificationSettings,
  removeFeedToken,
  updateNotificationSettings,
  type NotificationSettings,
  type Reason,
} from '#features/notifications/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Checkbox,
  CopyField,
  FieldSet,
  Form,
  FormActions,
  Notice,
  RelativeTime,
  Select,
  TokenSecret,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { pageResponse, action, redirectWithFlash, form, page, type Visit } from '../../site.ts'
import { SettingsFrame } from '../accounts/settings-frame.tsx'
import { sendsMail } from '../accounts/sends-mail.ts'
import { formError } from '../shell.tsx'
import { REASON_LABELS } from './reasons.ts'
import { rich, t, texts } from '../../text.ts'

const HOME = '/settings/notifications'

const DIGEST_WORDS: Readonly<Record<(typeof DIGESTS)[number], string>> = texts({
  off: 'Never',
  hourly: 'Every hour in which they did something',
  daily: 'Every day on which they did something',
})

const MailCard = ({ visit, settings }: { visit: Visit; settings: NotificationSettings }) => (
  <Card title={t('Mail')}>
    <Form action={HOME} csrf={visit.csrf} error={formError(visit)}>
      <FieldSet legend={t('Mail to {email} when', { email: settings.email })}>
        {settings.mail.map(({ reason, on }) => (
          <Checkbox
            id={`mail-${reason}`}
            name="mail"
            value={reason}
            label={REASON_LABELS[reason]}
            checked={on}
          />
        ))}
      </FieldSet>
      <Select
        name="digest"
        label={t('What my agents did')}
        required
        value={settings.digest}
        options={DIGESTS.map((value) => ({ value, label: DIGEST_WORDS[value] }))}
        hint={t('One mail with everything that agents did on your behalf.')}
      />
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const FeedsCard = ({
  visit,
  secret,
  settings,
  site_url,
}: {
  visit: Visit
  secret: string | null
  settings: NotificationSettings
  site_url: string
}) => (
  <Card title={t('Feeds')}>
    <p>
      {t(
        'Commits, issues and releases of a repository, and what happens in a workspace, are Atom feeds. Public ones are open to everyone; a feed token opens the private ones to your feed reader.',
      )}
    </p>
    {settings.feed_token !== null && (
      <p class="muted">
        {rich('You have a feed token, created {time}. A new one replaces it.', {
          time: <RelativeTime at={settings.feed_token.created_at} />,
        })}
      </p>
    )}
    <CopyField
      id="feed-example"
      label={t('Example')}
      value={`${site_url}/WORKSPACE/REPOSITORY/issues.atom?token=${secret ?? 'TOKEN'}`}
    />
    <div class="actions">
      <ActionButton action={`${HOME}/feed-token`} csrf={visit.csrf}>
        <Button icon="key">
          {settings.feed_token === null ? t('Create feed token') : t('Create new feed token')}
        </Button>
      </ActionButton>
      {settings.feed_token !== null && (
        <ActionButton action={`${HOME}/feed-token/remove`} csrf={visit.csrf}>
          <Button variant="danger">{t('Remove feed token')}</Button>
        </ActionButton>
      )}
    </div>
  </Card>
)

const SettingsView = ({
  visit,
  settings,
  secret,
}: {
  visit: Visit
  settings: NotificationSettings
  secret: string | null
}): Html => {
  const { site_url } = visit.hearth.settings
  return (
    <SettingsFrame
      visit={visit}
      title={t('Notifications')}
      current="notifications"
      lead={rich(
        'All notifications are in your <a>inbox</a>. Choose here which ones are also mailed.',
        {
          a: (inner) => <a href="/notifications">{inner}</a>,
        },
      )}
    >
      {!settings.verified && (
        <Notice kind="wait" title={t('Your address is not confirmed')}>
          {sendsMail(visit)
            ? t('No mail is sent to {email} until you open the link that we sent there.', {
                email: settings.email,
              })
            : t('This site sends no mail. Ask an administrator for your confirmation link.')}
        </Notice>
      )}
      {secret !== null && (
        <TokenSecret secret={secret}>
          {t(
            'This is your feed token. Append it to the address of a feed, as in the example below.',
          )}
        </TokenSecret>
      )}
      <MailCard visit={visit} settings={settings} />
      <FeedsCard visit={visit} secret={secret} settings={settings} site_url={site_url} />
    </SettingsFrame>
  )
}

export const notificationSettingsPage = page({
  path: HOME,
  load: (visit) => visit.call(getNotificationSettings, {}),
  view: (settings, visit) => <SettingsView visit={visit} settings={settings} secret={null} />,
})

export const notificationSettingsForm = form({
  path: HOME,
  page: notificationSettingsPage,
  operation: updateNotificationSettings,
  input: (fields) => ({
    mail: fields.all('mail') as Reason[],
    digest: DIGESTS.find((digest) => digest === fields.text('digest')) ?? 'off',
  }),
  done: (_, visit) => redirectWithFlash(visit, HOME, 'saved'),
})

/**
 * Responds with the page and not with a redirect, because the secret is shown once and not stored.
 */
export const feedTokenForm = action({
  path: `${HOME}/feed-token`,
  page: notificationSettingsPage,
  submit: async (visit) => {
    const { secret } = await visit.call(createFeedToken, {})
    const settings = await visit.call(getNotificationSettings, {})
    return pageResponse(visit, <SettingsView visit={visit} settings={settings} secret={secret} />)
  },
})

export const removeFeedTokenForm = action({
  path: `${HOME}/feed-token/remove`,
  submit: async (visit) => {
    await visit.call(removeFeedToken, {})
    return redirectWithFlash(visit, HOME, 'feed-token-removed')
  },
})
