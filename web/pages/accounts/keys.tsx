import { addKey, listKeys, removeKey, type Key, type KeyUsage } from '#features/keys/index.ts'
import { sshHostKeys } from '#lib/ssh/ssh-host-keys.ts'
import { Button } from '../../components/button.tsx'
import { Card, Commands, EmptyState } from '../../components/card.tsx'
import { ActionButton, Field, Form, FormActions, Select, TextArea } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { List, Row } from '../../components/rows.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { rich, t, texts } from '../../text.ts'

const USAGES: Record<KeyUsage, string> = texts({
  authentication_and_signing: 'Authentication and signing',
  signing: 'Signing only',
  authentication: 'Authentication only',
})

const SIGN = `git config --global gpg.format ssh
git config --global user.signingkey ~/.ssh/id_ed25519.pub
git config --global commit.gpgsign true`

const KeyLine = ({ item, csrf }: { item: Key; csrf: string }) => (
  <Row
    mark={<Icon name="key" />}
    title={<strong>{item.title}</strong>}
    meta={
      <>
        <span class="mono">{item.fingerprint}</span>
        <span>{item.key.split(' ')[0]}</span>
        <span>{USAGES[item.usage]}</span>
        <span>{rich('Added {time}', { time: <RelativeTime at={item.created_at} /> })}</span>
        {item.last_used_at !== null && (
          <span>{rich('Last used {time}', { time: <RelativeTime at={item.last_used_at} /> })}</span>
        )}
      </>
    }
    end={
      <ActionButton action="/settings/keys/remove" csrf={csrf} values={{ id: item.id }}>
        <Button small variant="danger">
          {t('Remove')}
        </Button>
      </ActionButton>
    }
  />
)

/** By what a client recognizes this site before it trusts it. */
const HostKeysCard = ({ visit }: { visit: Visit }) => {
  const { ssh, data, site_url } = visit.hearth.settings
  if (ssh === null) return null
  const { hostname } = new URL(site_url)
  return (
    <Card title={t('Git over SSH')}>
      <p>
        {rich(
          'Test your key with {command}. The first time, ssh shows one of these fingerprints:',
          {
            command: <code>{`ssh -p ${ssh.port} git@${hostname}`}</code>,
          },
        )}
      </p>
      <Commands label={t('Copy the fingerprints')}>
        {sshHostKeys(data)
          .map(({ algorithm, fingerprint }) => `${algorithm} ${fingerprint}`)
          .join('\n')}
      </Commands>
      <p>
        {t(
          'Recorded connections stay secret even when there are quantum computers, with OpenSSH 9.9 and later.',
        )}
      </p>
    </Card>
  )
}

const AddKeyCard = ({ visit }: { visit: Visit }) => (
  <Card title={t('Add a key')}>
    <Form
      action="/settings/keys"
      csrf={visit.csrf}
      error={formError(visit, 'title', 'key', 'usage')}
    >
      <Field
        name="title"
        label={t('Title')}
        required
        maxlength={100}
        hint={t('Such as the machine that it is on.')}
        value={visit.form.values.text('title')}
        error={fieldError(visit, 'title')}
      />
      <TextArea
        name="key"
        label={t('Public key')}
        rows={3}
        mono
        required
        hint={t(
          'The line of a .pub file: ssh-ed25519, ecdsa-sha2-… or ssh-rsa, also of a security token.',
        )}
        value={visit.form.values.text('key')}
        error={fieldError(visit, 'key')}
      />
      <Select
        name="usage"
        label={t('For')}
        required
        options={Object.entries(USAGES).map(([value, label]) => ({ value, label }))}
        value={visit.form.values.optional('usage') ?? 'authentication_and_signing'}
        error={fieldError(visit, 'usage')}
      />
      <FormActions>
        <Button variant="primary">{t('Add key')}</Button>
      </FormActions>
    </Form>
  </Card>
)

export const keysPage = page({
  path: '/settings/keys',
  load: async (visit) => (await visit.call(listKeys, {})).items,
  view: (items, visit) => (
    <SettingsFrame
      visit={visit}
      title={t('SSH keys')}
      current="keys"
      lead={
        visit.hearth.settings.ssh === null
          ? t(
              'Commits and tags that you sign with one of these keys are shown as verified. Git over SSH is off on this site; clone and push over HTTPS.',
            )
          : t(
              'You clone and push over SSH with these keys, and commits and tags that you sign with one are shown as verified.',
            )
      }
    >
      <AddKeyCard visit={visit} />
      {items.length === 0 ? (
        <EmptyState icon="key" title={t('No keys yet')}>
          {rich(
            'Create one with {code}, add the line of its .pub file above, and configure git to sign with it.',
            { code: <code>ssh-keygen -t ed25519</code> },
          )}
        </EmptyState>
      ) : (
        <List label={t('Your keys')}>
          {items.map((item) => (
            <KeyLine item={item} csrf={visit.csrf} />
          ))}
        </List>
      )}
      <HostKeysCard visit={visit} />
      <Card title={t('Sign your commits')}>
        <Commands>{SIGN}</Commands>
      </Card>
    </SettingsFrame>
  ),
})

export const addKeyForm = action({
  path: '/settings/keys',
  page: keysPage,
  submit: async (visit, fields) => {
    await visit.call(addKey, {
      title: fields.text('title').trim(),
      key: fields.text('key').trim(),
      usage: fields.text('usage') as KeyUsage,
    })
    return redirectWithFlash(visit, '/settings/keys', 'key-added')
  },
})

export const removeKeyForm = action({
  path: '/settings/keys/remove',
  submit: async (visit, fields) => {
    await visit.call(removeKey, { id: fields.text('id') })
    return redirectWithFlash(visit, '/settings/keys', 'key-removed')
  },
})
