/**
 * A job: its steps with their output. The page is complete without the browser script; with it,
 * output is added while the job runs.
 */
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  getJob,
  getRun,
  listRunSummaries,
  rerunJob,
  type Run,
  type RunSummary,
  type WorkflowJob,
} from '#features/workflows/index.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  Card,
  Duration,
  EmptyState,
  FormError,
  Notice,
  PageHead,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { translateMessage } from '../../messages.ts'
import { jobPath, repoPath, withQuery } from '../../paths.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { AnnotationList } from './annotation-list.tsx'
import { LogPart, readLogs, StepView, type LogWindow, type StepWithLog } from './step-logs.tsx'
import { findInLog, LogSearchForm, MatchingLines, type LogMatches } from './log-search.tsx'
import { stateOfRun } from './run.tsx'
import { Summaries } from './summaries.tsx'
import { durationOf, RunState } from './states.tsx'
import { WaitingNotice } from './waiting.tsx'
import { rich, t } from '../../text.ts'

type Shown = {
  readonly repo: Repo
  readonly run: Run
  readonly job: WorkflowJob
  readonly steps: readonly StepWithLog[]
  /** The lines of a job whose steps have not been reported. */
  readonly whole: LogWindow | null
  readonly summaries: readonly RunSummary[]
  /** What the address searches the log for; null without a search. */
  readonly search: LogMatches | null
}

/** What `hearth run` adds for the event of a run; others it has no event for. */
const EVENT_OPTIONS: Readonly<Record<string, string>> = {
  push: '',
  pull_request: ' --event pull_request',
  dispatch: ' --event workflow_dispatch',
}

/** A shell reads these as they stand. */
const PLAIN_PATH = /^[\w./-]+$/

/** The command that runs the workflow of a failed job where its author works. */
const LocalRun = ({ run, job }: { run: Run; job: WorkflowJob }) => {
  const options = EVENT_OPTIONS[run.event]
  const hasFailed = job.conclusion === 'failure' || job.conclusion === 'timed_out'
  if (options === undefined || !hasFailed || job.steps.length === 0) return null
  if (!PLAIN_PATH.test(run.path)) return null
  return (
    <p class="muted small">
      {rich('To look for the cause on your machine, run {command} in a clone.', {
        command: <code>{`hearth run ${run.path}${options}`}</code>,
      })}
    </p>
  )
}

const JobAction = ({
  visit,
  repo,
  run,
  job,
}: {
  visit: Visit
  repo: string
  run: Run
  job: WorkflowJob
}) =>
  job.status === 'completed' ? (
    <ActionButton action={`${jobPath(repo, run.id, job.id)}/rerun`} csrf={visit.csrf}>
      <Button icon="refresh">{t('Rerun this job')}</Button>
    </ActionButton>
  ) : (
    <ActionButton action={repoPath(repo, `/runs/${run.id}/cancel`)} csrf={visit.csrf}>
      <Button icon="stop">{t('Cancel run')}</Button>
    </ActionButton>
  )

/** Where the job belongs, how it stands, and why it ended. */
const JobHead = ({ visit, repo, run, job }: Shown & { visit: Visit }) => {
  const here = jobPath(repo.full_name, run.id, job.id)
  const took = durationOf(job, visit.hearth.clock.now())
  return (
    <>
      <Breadcrumbs
        parts={[
          { label: t('Runs'), href: repoPath(repo.full_name, '/runs') },
          {
            label: `${run.name} #${run.number}`,
            href: repoPath(repo.full_name, `/runs/${run.id}`),
          },
          { label: job.name },
        ]}
      />
      <PageHead
        title={job.name}
        actions={
          repo.permissions.write && !repo.archived ? (
            <JobAction visit={visit} repo={repo.full_name} run={run} job={job} />
          ) : undefined
        }
      />
      {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
      <p class="row-meta">
        <RunState of={job} />
        {took !== null && <Duration milliseconds={took} />}
        {job.runner !== null && <span>{rich('on {name}', { name: job.runner.name })}</span>}
        {job.log_bytes > 0 && <a href={`${here}.log`}>{t('Raw log')}</a>}
      </p>
      {job.permissions.length > 0 && (
        <p class="muted small">
          {rich('Its token has {permissions}, and ends with the job.', {
            permissions: job.permissions.join(', '),
          })}
        </p>
      )}
      <WaitingNotice repo={repo} run={run} of={job} />
      {job.status === 'completed' && job.reason !== null && (
        <Notice kind={job.conclusion === 'failure' ? 'bad' : 'info'}>
          {translateMessage(job.reason)}
        </Notice>
      )}
      <LocalRun run={run} job={job} />
    </>
  )
}

const JobOutput = ({ visit, repo, run, job, steps, whole }: Shown & { visit: Visit }) => {
  const here = jobPath(repo.full_name, run.id, job.id)
  const now = visit.hearth.clock.now()
  return (
    <>
      {steps.length > 0 ? (
        <Card title={t('Steps')} flush>
          <ol class="check-list">
            {steps.map((step) => (
              <StepView shown={step} here={here} now={now} />
            ))}
          </ol>
        </Card>
      ) : whole !== null && whole.lines.length > 0 ? (
        <LogPart
          part={whole}
          label={t('Output of {name}', { name: job.name })}
          id="log-job"
          here={here}
        />
      ) : (
        <EmptyState
          icon="terminal"
          title={job.status === 'completed' ? t('No output') : t('No output yet')}
        >
          {job.status === 'completed'
            ? t('The job ended before a step ran.')
            : t('The output of its steps appears here when a runner has the job.')}
        </EmptyState>
      )}
    </>
  )
}

const JobView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, run, job } = shown
  const here = jobPath(repo.full_name, run.id, job.id)
  const live =
    job.status === 'completed'
      ? undefined
      : {
          href: withQuery(`${here}/live`, { state: stateOfRun(run, [job]) }),
          said: t('The job has changed.'),
          tail: true,
        }
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={`${job.name} · ${run.name} #${run.number}`}
      current="runs"
      live={live}
    >
      <JobHead visit={visit} {...shown} />
      <AnnotationList repo={repo.full_name} run={run} jobs={[job]} named={false} />
      {job.log_bytes > 0 && <LogSearchForm here={here} search={shown.search} />}
      {shown.search === null ? (
        <JobOutput visit={visit} {...shown} />
      ) : (
        <MatchingLines here={here} search={shown.search} />
      )}
      <Summaries visit={visit} repo={repo.full_name} run={run.id} summaries={shown.summaries} />
    </RepoFrame>
  )
}

const target = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.job ?? '' })

export const jobPage = page({
  path: '/:workspace/:repo/runs/:run/job/:job',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const job = await visit.call(getJob, target(visit))
    const run = await visit.call(getRun, { repo: repoOf(visit), id: job.run })
    const { steps, whole } = await readLogs(visit, target(visit), job)
    const { items: summaries } = await visit.call(listRunSummaries, {
      repo: repoOf(visit),
      id: run.id,
      attempt: job.attempt,
      job: job.id,
    })
    const search = await findInLog(visit, target(visit))
    return { repo, run, job, steps, whole, summaries, search }
  },
  view: (shown, visit) => <JobView visit={visit} {...shown} />,
})

export const rerunJobForm = action({
  path: '/:workspace/:repo/runs/:run/job/:job/rerun',
  page: jobPage,
  submit: async (visit) => {
    const job = await visit.call(rerunJob, target(visit))
    return redirectWithFlash(visit, jobPath(repoOf(visit), job.run, job.id), 'run-again')
  },
})
