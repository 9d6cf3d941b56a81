// The actions of a branch or a tag in its list.
import type { Branch, Repo, Tag } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  ButtonGroup,
  Card,
  Dropdown,
  Field,
  Form,
  FormActions,
  Icon,
  IconDrawings,
  LinkButton,
  TextArea,
} from '../../components/index.ts'
import { archivePath, repoPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'

const ids = (name: string): string => name.replace(/[^A-Za-z0-9]+/g, '-')

/** The message of a refused form about this branch or tag. */
export const refError = (visit: Visit, field: 'branch' | 'tag', name: string): string | null =>
  visit.form.error !== null &&
  visit.form.values.text(field) === name &&
  !visit.form.values.has('target') &&
  !visit.form.values.has('from')
    ? visit.form.error.message
    : null

/** Admins rename the default branch. */
const mayRename = (repo: Repo, branch: Branch): boolean =>
  !repo.archived && (branch.default ? repo.permissions.admin : repo.permissions.write)

/** The id of the form that deletes a branch, which all rows share. */
const DELETE_BRANCH = 'delete-branch'

/** What the actions of a list share: the form that deletes one of the branches, and their icons. */
export const BranchListParts = ({
  repo,
  branches,
  visit,
}: {
  repo: Repo
  branches: readonly Branch[]
  visit: Visit
}) => (
  <>
    {branches.some((branch) => mayRename(repo, branch)) && (
      <IconDrawings names={['more', 'trash', 'chevron-down']} />
    )}
    {branches.some((branch) => !branch.default && mayRename(repo, branch)) && (
      <ActionButton
        id={DELETE_BRANCH}
        action={repoPath(repo.full_name, '/branches/delete')}
        csrf={visit.csrf}
      />
    )}
  </>
)

type BranchProps = {
  repo: Repo
  branch: Branch
  visit: Visit
  /** The address of the list, on the page that is shown. */
  here: string
}

/** Rename and delete, as far as the user may. Nobody deletes the default branch. */
export const BranchActions = ({ repo, branch, here }: BranchProps) =>
  mayRename(repo, branch) ? (
    <Dropdown
      label={t('Rename or delete {name}', { name: branch.name })}
      summary={<Icon name="more" shared />}
      sharedIcons
    >
      <div class="stack">
        <LinkButton
          href={`${withQuery(here, { edit: branch.name })}#${renameId(branch)}`}
          small
          rel="nofollow"
        >
          {t('Rename')}
        </LinkButton>
        {!branch.default && (
          <Button
            form={DELETE_BRANCH}
            name="branch"
            value={branch.name}
            variant="danger"
            small
            icon="trash"
            sharedIcon
          >
            {branch.pull === null
              ? t('Delete')
              : t('Delete and close #{pull}', { pull: branch.pull })}
          </Button>
        )}
      </div>
    </Dropdown>
  ) : null

const renameId = ({ name }: Branch): string => `rename-${ids(name)}`

/** The form that renames the branch of a row, at the address that names it and after a refusal. */
export const RenameBranch = ({ repo, branch, visit }: Omit<BranchProps, 'here'>) => {
  const error = visit.form.values.has('new_name') ? refError(visit, 'branch', branch.name) : null
  const isOpen = error !== null || visit.url.searchParams.get('edit') === branch.name
  if (!isOpen || !mayRename(repo, branch)) return null
  return (
    <details class="more" open>
      <summary>{t('Rename {name}', { name: branch.name })}</summary>
      <Form
        action={repoPath(repo.full_name, '/branches/rename')}
        csrf={visit.csrf}
        label={t('Rename {name}', { name: branch.name })}
        error={error}
      >
        <input type="hidden" name="branch" value={branch.name} />
        <Field
          id={renameId(branch)}
          name="new_name"
          label={t('New name')}
          required
          mono
          maxlength={255}
          hint={t('Pull requests follow, and addresses of pages lead on.')}
          value={error === null ? branch.name : visit.form.values.text('new_name')}
        />
        <FormActions>
          <Button small>{t('Rename')}</Button>
        </FormActions>
      </Form>
    </details>
  )
}

export const TagActions = ({ repo, tag, visit }: { repo: Repo; tag: Tag; visit: Visit }) => (
  <>
    <ButtonGroup label={t('Downloads of {name}', { name: tag.name })}>
      {(['zip', 'tar.gz'] as const).map((format) => (
        <LinkButton href={archivePath(repo.full_name, tag.name, format)} small rel="nofollow">
          {format}
        </LinkButton>
      ))}
    </ButtonGroup>
    {repo.permissions.maintain && !repo.archived && (
      <Dropdown label={t('Delete {name}', { name: tag.name })} summary={<Icon name="trash" />}>
        <p>
          {t('Commits of other branches and tags stay. Clones that have fetched the tag keep it.')}
        </p>
        <ActionButton
          action={repoPath(repo.full_name, '/tags/delete')}
          csrf={visit.csrf}
          values={{ tag: tag.name }}
        >
          <Button variant="danger" small icon="trash">
            {rich('Delete {name}', { name: tag.name })}
          </Button>
        </ActionButton>
      </Dropdown>
    )}
  </>
)

/** The form that creates a branch, for users who may push. */
export const NewBranch = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const { values, error } = visit.form
  const sent = values.has('from')
  const about = (field: string): string | null =>
    sent && error?.field === field ? error.message : null
  return (
    <details class="new-ref" open={sent}>
      <summary class="btn btn-plain">
        <Icon name="plus" /> {t('New branch')}
      </summary>
      <Card>
        <Form
          action={repoPath(repo.full_name, '/branches')}
          csrf={visit.csrf}
          label={t('New branch')}
          error={
            sent && error !== null && error.field !== 'branch' && error.field !== 'from'
              ? error.message
              : null
          }
        >
          <Field
            name="branch"
            label={t('Name')}
            required
            mono
            maxlength={255}
            value={sent ? values.text('branch') : ''}
            error={about('branch')}
          />
          <Field
            name="from"
            label={t('From branch, tag or commit')}
            required
            mono
            maxlength={500}
            value={values.optional('from') ?? repo.default_branch}
            error={about('from')}
          />
          <FormActions>
            <Button variant="primary">{t('Create branch')}</Button>
          </FormActions>
        </Form>
      </Card>
    </details>
  )
}

/** The form that creates a tag, for users who may push. */
export const NewTag = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const { values, error } = visit.form
  const sent = values.has('target')
  const about = (field: string): string | null =>
    sent && error?.field === field ? error.message : null
  return (
    <details class="new-ref" open={sent}>
      <summary class="btn btn-plain">
        <Icon name="plus" /> {t('New tag')}
      </summary>
      <Card>
        <Form
          action={repoPath(repo.full_name, '/tags')}
          csrf={visit.csrf}
          label={t('New tag')}
          error={
            sent && error !== null && error.field !== 'tag' && error.field !== 'target'
              ? error.message
              : null
          }
        >
          <Field
            name="tag"
            label={t('Name')}
            required
            mono
            maxlength={255}
            placeholder="v1.0"
            value={values.text('tag')}
            error={about('tag')}
          />
          <Field
            name="target"
            label={t('Branch, tag or commit')}
            required
            mono
            maxlength={500}
            value={values.optional('target') ?? repo.default_branch}
            error={about('target')}
          />
          <TextArea name="message" label={t('Message')} rows={3} value={values.text('message')} />
          <FormActions>
            <Button variant="primary">{t('Create tag')}</Button>
          </FormActions>
        </Form>
      </Card>
    </details>
  )
}
