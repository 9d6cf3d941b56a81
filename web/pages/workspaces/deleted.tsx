import { listDeletedRepos, purgeRepo, restoreRepo, type Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import {
  ActionButton,
  Button,
  EmptyState,
  Field,
  Form,
  FormActions,
  Icon,
  List,
  PageHead,
  ActorLink,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { formatExactTime } from '../../components/time.tsx'
import { repoPath, workspacePath } from '../../paths.ts'
import { redirectWithFlash, form, page, type Visit } from '../../site.ts'
import { loadPage, onSamePage, RowForm, RowSteps } from '../row-form.tsx'
import { WorkspaceSettingsFrame } from './frame.tsx'
import { rich, t } from '../../text.ts'

const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

/** A form is about one repository of the list, found by id: several may have had the same name. */
const isSent = (visit: Visit, repo: Repo): boolean =>
  visit.form.error !== null && visit.form.values.text('id') === repo.id

/** `purging` when the form was sent for this repository and refused. */
const PurgeForm = ({ visit, repo, purging }: { visit: Visit; repo: Repo; purging: boolean }) => {
  const here = workspacePath(repo.workspace, 'settings/deleted')
  const error = purging ? visit.form.error : null
  return (
    <Form
      action={onSamePage(visit, `${here}/purge`, 'page')}
      csrf={visit.csrf}
      label={t('Purge {full_name}', { full_name: repo.full_name })}
      error={error?.field === 'confirm' ? null : error?.message}
    >
      <input type="hidden" name="repo" value={repo.full_name} />
      <input type="hidden" name="id" value={repo.id} />
      <Field
        id={`confirm-${repo.id}`}
        name="confirm"
        label={t('Type {full_name} to be sure', { full_name: repo.full_name })}
        hint={t('Nobody can bring it back afterwards.')}
        required
        mono
        autocomplete="off"
        value={purging ? visit.form.values.text('confirm') : ''}
        error={error?.field === 'confirm' ? error.message : null}
      />
      <FormActions>
        <Button variant="danger" icon="trash">
          {t('Purge')}
        </Button>
      </FormActions>
    </Form>
  )
}

const DeletedRow = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const here = workspacePath(repo.workspace, 'settings/deleted')
  const sent = isSent(visit, repo)
  const error = sent ? visit.form.error : null
  const purging = sent && visit.form.values.has('confirm')
  const values = { repo: repo.full_name, id: repo.id }
  return (
    <Row
      mark={<Icon name={repo.private ? 'lock' : 'repo'} />}
      title={<span class="strong">{repo.full_name}</span>}
      meta={
        <>
          {repo.deleted_at && (
            <span>
              {rich('deleted {time} by {actor}', {
                time: <RelativeTime at={repo.deleted_at} />,
                actor: <ActorLink of={repo.deleted_by} face={false} />,
              })}
            </span>
          )}
          {repo.purge_at && (
            <span>
              {rich('purged on {purge_at}', { purge_at: formatExactTime(repo.purge_at) })}
            </span>
          )}
        </>
      }
      end={
        <ActionButton action={`${here}/restore`} csrf={visit.csrf} values={values}>
          <Button small>{t('Restore')}</Button>
        </ActionButton>
      }
    >
      {error !== null && !purging && (
        <p class="field-error" role="alert">
          <Icon name="warning" />
          {error.message}
        </p>
      )}
      <RowForm
        visit={visit}
        id={repo.id}
        refused={purging ? repo.id : null}
        here={onSamePage(visit, here, 'page')}
        label={rich('Purge {name} now', { name: repo.full_name })}
      >
        {() => <PurgeForm visit={visit} repo={repo} purging={purging} />}
      </RowForm>
    </Row>
  )
}

export const deletedReposPage = page({
  path: '/:workspace/-/settings/deleted',
  load: async (visit) => {
    const workspace = await visit.call(getWorkspace, { workspace: slugOf(visit) })
    if (workspace.role !== 'owner') return null
    return {
      workspace,
      repos: await loadPage(visit, (page) =>
        visit.call(listDeletedRepos, { workspace: workspace.slug, page }),
      ),
    }
  },
  view: ({ workspace, repos }, visit) => {
    const here = workspacePath(workspace.slug, 'settings/deleted')
    return (
      <WorkspaceSettingsFrame
        visit={visit}
        workspace={workspace}
        title={t('Deleted repositories of {name}', { name: workspace.name })}
        part="deleted"
      >
        <PageHead
          title={t('Deleted repositories')}
          lead={t('They can be restored for 30 days, at the path that they had.')}
        />
        {repos.items.length === 0 ? (
          <EmptyState icon="trash" title={t('Nothing is deleted')}>
            {t('A repository that is deleted waits here for 30 days.')}
          </EmptyState>
        ) : (
          <List label={t('Deleted repositories')}>
            {repos.items.map((repo) => (
              <DeletedRow repo={repo} visit={visit} />
            ))}
          </List>
        )}
        <RowSteps list={repos} here={here} label={t('Pages of deleted repositories')} />
      </WorkspaceSettingsFrame>
    )
  },
})

export const restoreRepoForm = form({
  path: '/:workspace/-/settings/deleted/restore',
  page: deletedReposPage,
  operation: restoreRepo,
  input: (fields) => ({ repo: fields.text('repo'), id: fields.text('id') }),
  done: (repo, visit) => redirectWithFlash(visit, repoPath(repo.full_name), 'repo-restored'),
})

export const purgeRepoForm = form({
  path: '/:workspace/-/settings/deleted/purge',
  page: deletedReposPage,
  operation: purgeRepo,
  input: (fields) => ({
    repo: fields.text('repo'),
    id: fields.text('id'),
    confirm: fields.text('confirm').trim(),
  }),
  done: (_, visit) =>
    redirectWithFlash(
      visit,
      onSamePage(visit, workspacePath(slugOf(visit), 'settings/deleted'), 'page'),
      'repo-purged',
    ),
})
