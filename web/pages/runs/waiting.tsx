// What a run or job waits for, and what to do about it.
import type { Repo } from '#features/repos/index.ts'
import type { Run, WorkflowJob } from '#features/workflows/index.ts'
import { Notice } from '../../components/index.ts'
import { translateMessage } from '../../messages.ts'
import { codePath, repoPath, withQuery } from '../../paths.ts'
import { rich, t } from '../../text.ts'

type Waiting = Pick<Run | WorkflowJob, 'status' | 'waiting_for' | 'reason'>

export const DEPLOYMENTS_ID = 'deployments'

const forApproval = (repo: Repo): string =>
  repo.permissions.write
    ? t(
        'This change is by somebody without Write. Look at it before you let its jobs run here: they get no secrets and a token that only reads.',
      )
    : t('This change is by somebody without Write. Its jobs run when somebody with Write approves.')

/** The page that adds runners, for those who may; for others the guide. */
const addRunnerHref = (repo: Repo): string =>
  repo.permissions.admin ? repoPath(repo.full_name, '/settings/runners') : '/docs/runners'

/** What ends the waiting. */
const WayOut = ({ repo, run, of }: { repo: Repo; run: Run; of: Waiting }) => {
  const name = repo.full_name
  if (of.waiting_for === 'runner')
    return rich(
      '<guide>Add a runner</guide> that can take it, or change <code>runs-on</code> in <file>{path}</file>. Without one it ends after 24 hours.',
      {
        guide: (inner) => <a href={addRunnerHref(repo)}>{inner}</a>,
        code: (inner) => <code>{inner}</code>,
        file: (inner) => <a href={codePath(name, 'blob', run.sha, run.path)}>{inner}</a>,
        path: run.path,
      },
    )
  if (of.waiting_for === 'concurrency')
    return rich(
      'It begins when the other one has ended. To begin it now, cancel that one under <a>runs in progress</a>.',
      {
        a: (inner) => (
          <a href={withQuery(repoPath(name, '/runs'), { status: 'in_progress' })}>{inner}</a>
        ),
      },
    )
  if (of.waiting_for === 'environment')
    return rich('Reviewers approve or reject it under <a>Deployments</a> of the run.', {
      a: (inner) => (
        <a href={`${repoPath(name, `/runs/${encodeURIComponent(run.id)}`)}#${DEPLOYMENTS_ID}`}>
          {inner}
        </a>
      ),
    })
  return null
}

/** Nothing for what does not wait. */
export const WaitingNotice = ({ repo, run, of }: { repo: Repo; run: Run; of: Waiting }) => {
  if (of.status === 'completed' || of.waiting_for === null) return null
  if (of.waiting_for === 'approval') return <Notice kind="wait">{forApproval(repo)}</Notice>
  return (
    <Notice kind="wait">
      {of.reason !== null && <p>{translateMessage(of.reason)}.</p>}
      <p>
        <WayOut repo={repo} run={run} of={of} />
      </p>
    </Notice>
  )
}
