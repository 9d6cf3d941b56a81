// The forms that change a repository as a whole: name, visibility, owner, archive, deletion.
import type { Repo } from '#features/repos/index.ts'
import type { Child } from '../../jsx/html.ts'
import {
  ActionButton,
  Button,
  Card,
  Field,
  Form,
  FormActions,
  Notice,
  Select,
} from '../../components/index.ts'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'

/** The workspaces that an owner may move it to. Null for users who do not own its workspace. */
export type Destinations = readonly string[] | null

/** A field that only this form has, so that a refusal is shown in its place. */
export const CONFIRM = { visibility: 'confirm_visibility', delete: 'confirm_delete' } as const

const Part = ({ title, children }: { title: string; children?: Child }) => (
  <section class="stack">
    <h3>{title}</h3>
    {children}
  </section>
)

/** The message of a refusal, for the form with this field. */
function messages(
  visit: Visit,
  sent: string,
  field: string,
): { field: string | null; form: string | null } {
  const { error, values } = visit.form
  if (error === null || !values.has(sent)) return { field: null, form: null }
  return error.field === field
    ? { field: error.message, form: null }
    : { field: null, form: error.message }
}

const Confirm = ({
  repo,
  visit,
  name,
  error,
}: {
  repo: Repo
  visit: Visit
  name: string
  error: string | null
}) => (
  <Field
    name={name}
    label={t('Type {full_name} to be sure', { full_name: repo.full_name })}
    required
    mono
    autocomplete="off"
    value={visit.form.values.text(name)}
    error={error}
  />
)

const Rename = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const error = messages(visit, 'name', 'name')
  return (
    <Part title={t('Rename')}>
      <p class="muted">
        {t(
          'Old addresses lead to the new name, for browsers, git and the API, until another repository takes the old one.',
        )}
      </p>
      <Form
        action={repoPath(repo.full_name, '/settings/rename')}
        csrf={visit.csrf}
        error={error.form}
        label={t('Rename')}
      >
        <Field
          name="name"
          label={t('New name')}
          required
          mono
          maxlength={100}
          value={visit.form.values.optional('name') ?? repo.name}
          error={error.field}
        />
        <FormActions>
          <Button variant="danger">{t('Rename')}</Button>
        </FormActions>
      </Form>
    </Part>
  )
}

const Visibility = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const error = messages(visit, CONFIRM.visibility, 'confirm')
  return (
    <Part title={repo.private ? t('Make public') : t('Make private')}>
      <p class="muted">
        {repo.private
          ? t(
              'Everyone will see the code, the issues, the pull requests and their history, without an account.',
            )
          : t(
              'Only those with access to this repository will see it. Forks of pull requests by others are hidden from them too.',
            )}
      </p>
      <Form
        action={repoPath(repo.full_name, '/settings/visibility')}
        csrf={visit.csrf}
        error={error.form}
        label={t('Who can see it')}
      >
        <input type="hidden" name="private" value={repo.private ? 'false' : 'true'} />
        <Confirm repo={repo} visit={visit} name={CONFIRM.visibility} error={error.field} />
        <FormActions>
          <Button variant="danger">{repo.private ? t('Make public') : t('Make private')}</Button>
        </FormActions>
      </Form>
    </Part>
  )
}

const Transfer = ({
  repo,
  visit,
  destinations,
}: {
  repo: Repo
  visit: Visit
  destinations: readonly string[]
}) => {
  const error = messages(visit, 'to', 'to')
  return (
    <Part title={t('Move to another workspace')}>
      <p class="muted">
        {t(
          'It keeps its name, and old addresses lead on. What was granted to people and teams who are not in the other workspace ends.',
        )}
      </p>
      {destinations.length === 0 ? (
        <p>{t('You own no other workspace to move it to.')}</p>
      ) : (
        <Form
          action={repoPath(repo.full_name, '/settings/transfer')}
          csrf={visit.csrf}
          error={error.form}
          label={t('Move')}
        >
          <Select
            name="to"
            label={t('Workspace')}
            required
            options={destinations.map((slug) => ({ value: slug, label: slug }))}
            value={visit.form.values.optional('to')}
            error={error.field}
          />
          <FormActions>
            <Button variant="danger">{t('Move')}</Button>
          </FormActions>
        </Form>
      )}
    </Part>
  )
}

const Archive = ({ repo, visit }: { repo: Repo; visit: Visit }) => (
  <Part title={t('Archive')}>
    <p class="muted">
      {t(
        'It stays to be read and cloned, and nothing in it can change: no pushes, issues, comments or merges. You can undo this.',
      )}
    </p>
    <div class="actions">
      <ActionButton action={repoPath(repo.full_name, '/settings/archive')} csrf={visit.csrf}>
        <Button variant="danger" icon="archive">
          {t('Archive')}
        </Button>
      </ActionButton>
    </div>
  </Part>
)

const Delete = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const error = messages(visit, CONFIRM.delete, 'confirm')
  return (
    <Part title={t('Delete')}>
      <p class="muted">
        {t(
          'It is gone for everyone at once. Owners can restore it from the workspace’s settings for 30 days; then it is purged.',
        )}
      </p>
      <Form
        action={repoPath(repo.full_name, '/settings/delete')}
        csrf={visit.csrf}
        error={error.form}
        label={t('Delete')}
      >
        <Confirm repo={repo} visit={visit} name={CONFIRM.delete} error={error.field} />
        <FormActions>
          <Button variant="danger" icon="trash">
            {t('Delete this repository')}
          </Button>
        </FormActions>
      </Form>
    </Part>
  )
}

export const DangerZone = ({
  repo,
  visit,
  destinations,
  mayDelete,
}: {
  repo: Repo
  visit: Visit
  destinations: Destinations
  mayDelete: boolean
}) => (
  <Card title={t('Danger zone')} tone="bad" id="danger">
    <div class="parts">
      <Rename repo={repo} visit={visit} />
      <Visibility repo={repo} visit={visit} />
      {destinations !== null && <Transfer repo={repo} visit={visit} destinations={destinations} />}
      <Archive repo={repo} visit={visit} />
      {mayDelete && <Delete repo={repo} visit={visit} />}
    </div>
  </Card>
)

/** The notice and the forms of an archived repository. */
export const ArchivedNotice = ({ repo, visit }: { repo: Repo; visit: Visit }) => (
  <Notice kind="wait" title={t('This repository is archived')}>
    <div class="stack">
      <p>{t('Everything in it can be read, and nothing can change, its settings included.')}</p>
      {repo.permissions.admin && (
        <ActionButton action={repoPath(repo.full_name, '/settings/unarchive')} csrf={visit.csrf}>
          <Button>{t('Unarchive')}</Button>
        </ActionButton>
      )}
    </div>
  </Notice>
)
