// The keys with which machines read or write one repository over SSH.
import {
  addDeployKey,
  listDeployKeys,
  removeDeployKey,
  type DeployKey,
} from '#features/keys/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Checkbox,
  EmptyState,
  Field,
  Form,
  FormActions,
  Icon,
  List,
  Notice,
  PageHead,
  RelativeTime,
  Row,
  TextArea,
} from '../../components/index.ts'
import { repoPath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { repoOf } from './frame.tsx'
import { RepoSettingsFrame } from './settings-frame.tsx'
import { rich, t } from '../../text.ts'

const addressOf = (repo: string): string => repoPath(repo, '/settings/keys')

const KeyRow = ({ visit, repo, item }: { visit: Visit; repo: Repo; item: DeployKey }) => (
  <Row
    mark={<Icon name="key" />}
    title={<strong>{item.title}</strong>}
    meta={
      <>
        <span class="mono">{item.fingerprint}</span>
        <span>{item.read_only ? t('Reads') : t('Reads and pushes')}</span>
        <span>
          {rich('Added by {name} {time}', {
            name: item.created_by.username,
            time: <RelativeTime at={item.created_at} />,
          })}
        </span>
        {item.last_used_at !== null && (
          <span>{rich('Last used {time}', { time: <RelativeTime at={item.last_used_at} /> })}</span>
        )}
      </>
    }
    end={
      <ActionButton
        action={`${addressOf(repo.full_name)}/remove`}
        csrf={visit.csrf}
        values={{ id: item.id }}
      >
        <Button small variant="danger">
          {t('Remove')}
        </Button>
      </ActionButton>
    }
  />
)

const AddCard = ({ visit, repo }: { visit: Visit; repo: Repo }) => (
  <Card title={t('Add a deploy key')}>
    <Form
      action={addressOf(repo.full_name)}
      csrf={visit.csrf}
      error={formError(visit, 'title', 'key')}
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
        value={visit.form.values.text('key')}
        error={fieldError(visit, 'key')}
      />
      <Checkbox
        name="writes"
        label={t('Allow pushes')}
        hint={t('Without it, the key only reads.')}
        checked={visit.form.values.text('writes') !== ''}
      />
      <FormActions>
        <Button variant="primary">{t('Add deploy key')}</Button>
      </FormActions>
    </Form>
  </Card>
)

export const deployKeysPage = page({
  path: '/:workspace/:repo/settings/keys',
  load: async (visit) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const { items } = await visit.call(listDeployKeys, { repo: repo.full_name })
    return { repo, items }
  },
  view: ({ repo, items }, visit) => (
    <RepoSettingsFrame visit={visit} repo={repo} title={t('Deploy keys')} part="keys">
      <PageHead
        title={t('Deploy keys')}
        lead={t(
          'SSH keys with which a machine reads this repository, or pushes to it, and no other one.',
        )}
      />
      {visit.hearth.settings.ssh === null && (
        <Notice title={t('SSH is off')}>
          {t('The keys work once the operator of this site sets ssh.listen.')}
        </Notice>
      )}
      {items.length === 0 ? (
        <EmptyState icon="key" title={t('No deploy keys')}>
          {t(
            'Create a key on the machine with ssh-keygen, and add the line of its .pub file below.',
          )}
        </EmptyState>
      ) : (
        <List label={t('Deploy keys')}>
          {items.map((item) => (
            <KeyRow visit={visit} repo={repo} item={item} />
          ))}
        </List>
      )}
      <AddCard visit={visit} repo={repo} />
    </RepoSettingsFrame>
  ),
})

export const addDeployKeyForm = action({
  path: '/:workspace/:repo/settings/keys',
  page: deployKeysPage,
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    await visit.call(addDeployKey, {
      repo,
      title: fields.text('title').trim(),
      key: fields.text('key').trim(),
      read_only: fields.text('writes') === '',
    })
    return redirectWithFlash(visit, addressOf(repo), 'key-added')
  },
})

export const removeDeployKeyForm = action({
  path: '/:workspace/:repo/settings/keys/remove',
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    await visit.call(removeDeployKey, { repo, id: fields.text('id') })
    return redirectWithFlash(visit, addressOf(repo), 'key-removed')
  },
})
