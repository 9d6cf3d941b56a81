// The conflict editor: every conflict of a pull request with its base, and a choice for each.
import {
  readPull,
  getPullConflicts,
  resolvePullConflicts,
  type ConflictFile,
  type PullConflicts,
  type PullOverview,
} from '#features/pulls/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  Button,
  Card,
  Commands,
  EmptyState,
  Form,
  FormActions,
  FormError,
  LinkButton,
  Notice,
} from '../../components/index.ts'
import { UntrustedName } from '../../components/bidi-controls.tsx'
import { pullPath } from '../../paths.ts'
import { action, page, redirect, redirectWithFlash, type Visit } from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { formError } from '../shell.tsx'
import { mayPush } from './branch-box.tsx'
import { ConflictFileView, type Sides } from './conflict-file.tsx'
import { resolutionOf } from './conflict-text.ts'
import { PullFrame } from './frame.tsx'
import { mergeCommands } from './head-branch.tsx'
import { rich, t, tn } from '../../text.ts'

const incomplete = (): string => t('Choose a version for every conflict.')

async function loadConflicts(visit: Visit) {
  const number = numberOf(visit)
  if (number === null) return null
  const target = { repo: repoOf(visit), number }
  const [repo, data] = await Promise.all([
    visit.call(getRepo, { repo: target.repo }),
    visit.call(readPull, target),
  ])
  const active = data.status === 'open' || data.status === 'draft'
  if (!active || data.head === null) return redirect(pullPath(target.repo, number), 302)
  return { repo, data, conflicts: await visit.call(getPullConflicts, target) }
}

/** Whether every conflict can be settled on the page. */
const isResolvable = ({ files, total }: PullConflicts): boolean =>
  files.length === total && files.every(({ resolvable }) => resolvable)

const GitHelp = ({ data, repo }: { data: PullOverview; repo: Repo }) => (
  <Card title={t('Resolve with git')}>
    <Commands label={t('Copy the commands that merge the base')}>
      {mergeCommands(data.pull)}
    </Commands>
    <p class="muted small">
      {rich(
        'Edit the files between the markers, then commit and push. The conflicts are resolved when {full_name} has the merge.',
        { full_name: repo.full_name },
      )}
    </p>
  </Card>
)

const Unresolvable = ({ conflicts }: { conflicts: PullConflicts }) => {
  const left = conflicts.files.filter(({ resolvable }) => !resolvable)
  return (
    <Notice>
      {left.length > 0 ? (
        <>
          {t(
            'These conflicts are about names (a rename, or a folder in place of a file), so resolve them with git:',
          )}{' '}
          {left.map(({ path }, at) => (
            <>
              {at > 0 && ', '}
              <code>
                <UntrustedName>{path}</UntrustedName>
              </code>
            </>
          ))}
        </>
      ) : (
        t('{files} conflict, too many for this page. Resolve them with git.', {
          files: tn('{count} file', '{count} files', conflicts.total),
        })
      )}
    </Notice>
  )
}

const Editor = ({
  visit,
  data,
  conflicts,
  sides,
}: {
  visit: Visit
  data: PullOverview
  conflicts: PullConflicts
  sides: Sides
}) => {
  return (
    <Form
      action={pullPath(data.repo, data.number, 'conflicts')}
      csrf={visit.csrf}
      label={t('Resolve conflicts')}
      class="conflict-form"
    >
      <input type="hidden" name="head_sha" value={conflicts.head_sha} />
      <input type="hidden" name="base_sha" value={conflicts.base_sha} />
      {conflicts.files.map((file) => (
        <ConflictFileView file={file} sides={sides} fields={visit.form.values} mayEdit />
      ))}
      <FormActions>
        <Button variant="primary" icon="merge">
          {t('Commit merge')}
        </Button>
        <LinkButton href={pullPath(data.repo, data.number)} variant="quiet">
          {t('Cancel')}
        </LinkButton>
        <span class="muted small">
          {rich('Merges {base} into {head} in one commit of yours.', {
            base: sides.base,
            head: sides.head,
          })}
        </span>
      </FormActions>
    </Form>
  )
}

const FileList = ({
  files,
  sides,
  visit,
}: {
  files: ConflictFile[]
  sides: Sides
  visit: Visit
}) => (
  <div class="conflict-form">
    {files.map((file) => (
      <ConflictFileView file={file} sides={sides} fields={visit.form.values} mayEdit={false} />
    ))}
  </div>
)

const Conflicts = ({
  repo,
  data,
  conflicts,
  visit,
}: {
  repo: Repo
  data: PullOverview
  conflicts: PullConflicts
  visit: Visit
}) => {
  const sides = { head: data.head?.ref ?? data.git.branch, base: data.base.ref }
  const error = formError(visit)
  const mayEdit = mayPush(data, repo, visit)
  if (conflicts.total === 0)
    return (
      <EmptyState
        icon="check-circle"
        title={t('No conflicts')}
        actions={
          <LinkButton href={pullPath(repo.full_name, data.number)} variant="primary">
            {t('Back to the pull request')}
          </LinkButton>
        }
      >
        {rich('{ref} merges without conflicts.', { ref: data.base.ref })}
      </EmptyState>
    )
  return (
    <>
      {error !== null && <FormError>{error}</FormError>}
      {!isResolvable(conflicts) && <Unresolvable conflicts={conflicts} />}
      {mayEdit && isResolvable(conflicts) ? (
        <Editor visit={visit} data={data} conflicts={conflicts} sides={sides} />
      ) : (
        <FileList files={conflicts.files} sides={sides} visit={visit} />
      )}
      {!mayEdit && (
        <Notice>
          {rich('Only people who may push to {head} can resolve these conflicts.', {
            head: sides.head,
          })}
        </Notice>
      )}
      <GitHelp data={data} repo={repo} />
    </>
  )
}

export const conflictsPage = page({
  path: '/:workspace/:repo/pull/:number/conflicts',
  load: loadConflicts,
  view: ({ repo, data, conflicts }, visit) => (
    <PullFrame visit={visit} repo={repo} pull={data.pull} current="conversation" width="wide">
      <h2>{t('Resolve conflicts')}</h2>
      <Conflicts repo={repo} data={data} conflicts={conflicts} visit={visit} />
    </PullFrame>
  ),
})

export const conflictsForm = action({
  path: '/:workspace/:repo/pull/:number/conflicts',
  page: conflictsPage,
  submit: async (visit, fields) => {
    const target = { repo: repoOf(visit), number: numberOf(visit) ?? 0 }
    const { files } = await visit.call(getPullConflicts, target)
    const resolutions = files.map((file) => {
      const resolution = resolutionOf(file, fields)
      if (resolution === null) throw invalid('resolutions', incomplete())
      return resolution
    })
    await visit.call(resolvePullConflicts, {
      ...target,
      head_sha: fields.text('head_sha'),
      base_sha: fields.text('base_sha'),
      resolutions,
    })
    return redirectWithFlash(visit, pullPath(target.repo, target.number), 'conflicts-resolved')
  },
})
