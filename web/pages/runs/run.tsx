/** A run: why it ran, how its jobs stand, and what can be done about it. */
import { listDeployments, type Deployment } from '#features/environments/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  approveRun,
  cancelRun,
  getRun,
  listJobs,
  listRunSummaries,
  rerunFailedJobs,
  rerunWorkflowRun,
  type Run,
  type RunSummary,
  type WorkflowJob,
} from '#features/workflows/index.ts'
import {
  ActionButton,
  ActorLink,
  Breadcrumbs,
  Button,
  Duration,
  EmptyState,
  FormError,
  List,
  Notice,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { commitPath, jobPath, pullPath, repoPath, withQuery } from '../../paths.ts'
import { workflowPath } from './paths.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { DeploymentList } from '../environments/deployment-list.tsx'
import { translateMessage } from '../../messages.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { AnnotationList } from './annotation-list.tsx'
import { Artifacts, loadArtifacts, type ArtifactsPage } from './artifacts.tsx'
import { JobGraph } from './graph.tsx'
import { durationOf, eventLabel, RunState, shortRef } from './states.tsx'
import { Summaries } from './summaries.tsx'
import { DEPLOYMENTS_ID, WaitingNotice } from './waiting.tsx'
import { rich, t } from '../../text.ts'

type Shown = {
  readonly repo: Repo
  readonly run: Run
  readonly jobs: readonly WorkflowJob[]
  readonly deployments: readonly Deployment[]
  readonly attempt: number | undefined
  readonly artifacts: ArtifactsPage
  readonly summaries: readonly RunSummary[]
}

const runPath = (repo: string, run: Pick<Run, 'id'>, rest = ''): string =>
  repoPath(repo, `/runs/${encodeURIComponent(run.id)}${rest}`)

/** A hash of what the page shows. */
export const stateOfRun = (run: Run, jobs: readonly WorkflowJob[]): string =>
  Bun.hash(
    JSON.stringify([
      run.attempt,
      run.status,
      run.conclusion,
      run.waiting_for,
      run.reason,
      jobs.map(({ id, status, conclusion, reason, steps }) => [
        id,
        status,
        conclusion,
        reason,
        steps.map((step) => [step.number, step.status, step.conclusion]),
      ]),
    ]),
  ).toString(36)

const RunActions = ({ visit, repo, run, jobs, attempt }: Shown & { visit: Visit }) => {
  if (!repo.permissions.write || repo.archived || attempt !== undefined) return null
  const here = runPath(repo.full_name, run)
  const hasFailed = jobs.some(({ conclusion }) =>
    ['failure', 'cancelled', 'timed_out'].includes(conclusion ?? ''),
  )
  return (
    <>
      {run.waiting_for === 'approval' && (
        <ActionButton action={`${here}/approve`} csrf={visit.csrf}>
          <Button variant="primary" icon="check">
            {t('Approve and run')}
          </Button>
        </ActionButton>
      )}
      {run.status === 'completed' && hasFailed && (
        <ActionButton action={`${here}/rerun-failed`} csrf={visit.csrf}>
          <Button icon="refresh">{t('Rerun failed jobs')}</Button>
        </ActionButton>
      )}
      {run.status === 'completed' ? (
        <ActionButton action={`${here}/rerun`} csrf={visit.csrf}>
          <Button icon="refresh">{t('Rerun all jobs')}</Button>
        </ActionButton>
      ) : (
        <ActionButton action={`${here}/cancel`} csrf={visit.csrf}>
          <Button icon="stop">{t('Cancel run')}</Button>
        </ActionButton>
      )}
    </>
  )
}

const About = ({ repo, run, now }: { repo: Repo; run: Run; now: number }) => {
  const took = durationOf(run, now)
  return (
    <p class="row-meta">
      <RunState of={run} />
      <span>
        {rich('{event} by {actor}', {
          event: eventLabel(run.event),
          actor: <ActorLink of={run.actor} face={false} />,
        })}
      </span>
      <span>
        {run.pull === null ? (
          <code>{shortRef(run.ref)}</code>
        ) : (
          <a href={pullPath(repo.full_name, run.pull)}>#{run.pull}</a>
        )}
      </span>
      <span>
        <a href={commitPath(repo.full_name, run.sha)}>
          <code>{run.sha.slice(0, 7)}</code>
        </a>
      </span>
      <span>
        <RelativeTime at={run.created_at} now={now} />
      </span>
      {took !== null && (
        <span>
          <Duration milliseconds={took} />
        </span>
      )}
    </p>
  )
}

const JobRow = ({
  repo,
  run,
  job,
  now,
}: {
  repo: string
  run: Run
  job: WorkflowJob
  now: number
}) => {
  const took = durationOf(job, now)
  return (
    <Row
      mark={<RunState of={job} bare />}
      title={
        <a class="row-link" href={jobPath(repo, run.id, job.id)}>
          {job.name}
        </a>
      }
      meta={
        <>
          {took !== null && (
            <span>
              <Duration milliseconds={took} />
            </span>
          )}
          {job.reason !== null && <span>{translateMessage(job.reason)}</span>}
        </>
      }
      end={<RunState of={job} />}
    />
  )
}

const Attempts = ({
  repo,
  run,
  attempt,
}: {
  repo: string
  run: Run
  attempt: number | undefined
}) => {
  const last = attempt === undefined ? run.attempt : null
  if (last === 1) return null
  const shown = attempt ?? run.attempt
  return (
    <p class="muted small">
      {rich('Attempt {shown}. {shown2} {attempt}', {
        shown,
        shown2: shown > 1 && (
          <a href={withQuery(runPath(repo, run), { attempt: shown - 1 })}>
            {rich('Attempt {shown}', { shown: shown - 1 })}
          </a>
        ),
        attempt: attempt !== undefined && <a href={runPath(repo, run)}>{t('Latest attempt')}</a>,
      })}
    </p>
  )
}

const Deployments = ({ visit, repo, deployments }: Shown & { visit: Visit }) =>
  deployments.length === 0 ? null : (
    <div id={DEPLOYMENTS_ID} class="stack">
      <PageHead level={2} title={t('Deployments')} />
      <DeploymentList visit={visit} repo={repo.full_name} deployments={deployments} />
    </div>
  )

const liveOf = ({ repo, run, jobs }: Shown) =>
  run.status === 'completed'
    ? undefined
    : {
        href: withQuery(runPath(repo.full_name, run, '/live'), { state: stateOfRun(run, jobs) }),
        said: t('The run has changed.'),
      }

const RunView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, run, jobs, attempt } = shown
  const now = visit.hearth.clock.now()
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={`${run.title} · ${run.name} #${run.number}`}
      current="runs"
      live={liveOf(shown)}
    >
      <Breadcrumbs
        parts={[
          { label: t('Runs'), href: repoPath(repo.full_name, '/runs') },
          { label: run.name, href: workflowPath(repo.full_name, run.workflow_id) },
          { label: `#${run.number}` },
        ]}
      />
      <PageHead title={run.title} actions={<RunActions visit={visit} {...shown} />} />
      {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
      <About repo={repo} run={run} now={now} />
      <Attempts repo={repo.full_name} run={run} attempt={attempt} />
      <WaitingNotice repo={repo} run={run} of={run} />
      {run.error !== null && <Notice kind="bad">{run.error}</Notice>}
      <Deployments visit={visit} {...shown} />
      <JobGraph repo={repo.full_name} run={run.id} jobs={jobs} />
      <AnnotationList repo={repo.full_name} run={run} jobs={jobs} named />
      <Artifacts
        visit={visit}
        repo={repo.full_name}
        artifacts={shown.artifacts}
        here={withQuery(runPath(repo.full_name, run), { attempt })}
        mayDelete={repo.permissions.write && !repo.archived}
      />
      <PageHead level={2} title={t('Jobs')} />
      {jobs.length === 0 ? (
        <EmptyState
          icon="play"
          title={run.status === 'completed' ? t('No job ran') : t('No jobs yet')}
        >
          {run.error === null
            ? t('Its jobs appear here when they are planned.')
            : t('Correct the workflow file and push it.')}
        </EmptyState>
      ) : (
        <List label={t('Jobs')}>
          {jobs.map((job) => (
            <JobRow repo={repo.full_name} run={run} job={job} now={now} />
          ))}
        </List>
      )}
      <Summaries visit={visit} repo={repo.full_name} run={run.id} summaries={shown.summaries} />
    </RepoFrame>
  )
}

export const runOf = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.run ?? '' })

export const runPage = page({
  path: '/:workspace/:repo/runs/:run',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const asked = /^\d{1,5}$/.exec(visit.url.searchParams.get('attempt') ?? '')?.[0]
    const attempt = asked === undefined ? undefined : Number(asked)
    const run = await visit.call(getRun, { ...runOf(visit), attempt })
    const { items } = await visit.call(listJobs, { ...runOf(visit), attempt })
    const summaries = await visit.call(listRunSummaries, { ...runOf(visit), attempt })
    const artifacts = await loadArtifacts(visit, run.id)
    const deployments = await visit.call(listDeployments, {
      repo: repo.full_name,
      run: run.id,
      per_page: 100,
    })
    const ids = new Set(items.map(({ id }) => id))
    const shown = deployments.items.filter(({ job }) => ids.has(job))
    return {
      repo,
      run,
      jobs: items,
      deployments: shown,
      attempt,
      artifacts,
      summaries: summaries.items,
    }
  },
  view: (shown, visit) => <RunView visit={visit} {...shown} />,
})

const FORMS = [
  { path: 'approve', operation: approveRun, flash: 'run-approved' },
  { path: 'cancel', operation: cancelRun, flash: 'run-cancelled' },
  { path: 'rerun', operation: rerunWorkflowRun, flash: 'run-again' },
  { path: 'rerun-failed', operation: rerunFailedJobs, flash: 'run-again' },
] as const

export const runForms = FORMS.map(({ path, operation, flash }) =>
  action({
    path: `/:workspace/:repo/runs/:run/${path}`,
    page: runPage,
    submit: async (visit) => {
      await visit.call(operation, runOf(visit))
      return redirectWithFlash(visit, runPath(repoOf(visit), { id: visit.params.run ?? '' }), flash)
    },
  }),
)
