/**
 * The queue of jobs, for runners. A runner takes a job, reports its steps, renews its lease and
 * finishes it. Runners hear of new jobs through the internal event `jobsQueued`.
 *
 * Secrets are opened when a job is taken. They are in `JobToRun` only and never stored.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import type { JobPlan, JsonObject, NeedsContext } from '#actions'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import { variablesFor } from '#features/variables/index.ts'
import { SECOND } from '#lib/time.ts'
import { endJob } from '../runs/end-run.ts'
import { jobChanged, jobsQueued } from '../events.ts'
import { githubContext, needsContext } from './job-contexts.ts'
import { endJobToken, makeJobToken } from './job-token.ts'
import { secretsForJob } from './job-secrets.ts'
import { requestScheduling } from './request-scheduling.ts'
import { readModels } from './schedule-jobs.ts'
import { runChanges } from '../runs/run-changes.ts'
import { runningJobs } from './running-jobs.ts'
import type { Conclusion } from '../schema.ts'
import {
  claimJob,
  findJob,
  insertAnnotation,
  listJobs,
  listLeased,
  listQueued,
  listSteps,
  putStep,
  requeue,
  setLease,
  setLog,
  setSummary,
  setWaitsForRunner,
  type AnnotationReport,
  type JobRow,
  type LogState,
  type StepRow,
} from './store-jobs.ts'
import { findRun, setRunStatus, type RunRow } from '../runs/store-runs.ts'

/** A runner that does not renew its lease for this long is gone. */
export const LEASE_MS = 60 * SECOND

/** The queued jobs that are compared with the labels of a runner: so many at once, and in all. */
const CANDIDATES_AT_ONCE = 100
const MAX_CANDIDATES = 5_000
const MAX_ANNOTATIONS = 50
const MAX_ANNOTATIONS_PER_STEP = 10
const MAX_MESSAGE_CHARS = 4_096
const MAX_SUMMARY_CHARS = 1024 * 1024

export type JobRunner = {
  /** Null for the runner of this process. */
  readonly id: string | null
  readonly name: string
  /** Whether the runner has all labels that a job asks for. */
  readonly accepts: (labels: readonly string[]) => boolean
  /** Whether it may run jobs of this repository; if it does not say, it may. */
  readonly serves?: (owner: Pick<JobRow, 'repo_id' | 'workspace_id'>) => boolean
  /** Whether it is the right one for a job that it accepts; if it does not say, it is. */
  readonly wants?: (job: JobRow) => boolean
  /** Whether it may have another job; if it does not say, it may. Asked again on claiming. */
  readonly mayClaim?: (db: Db) => boolean
  /** Runs in the transaction that gives a job to the runner. The token is '' without a repository. */
  readonly onClaim?: (tx: Tx, job: JobRow, token: string) => void
  /** Whether it may run the code of people without Write. */
  readonly takesUntrusted: boolean
}

/** Everything that a runner needs for one job. */
export type JobToRun = {
  readonly id: string
  readonly key: string
  readonly name: string
  /** The id of the job in its file. */
  readonly jobId: string
  readonly repo: { readonly id: string; readonly full_name: string; readonly store: string }
  readonly run: Pick<
    RunRow,
    'id' | 'seq' | 'number' | 'attempt' | 'sha' | 'ref' | 'event' | 'event_name' | 'path' | 'name'
  >
  /** False for changes by people without Write. */
  readonly isTrusted: boolean
  readonly plan: JobPlan & { readonly kind: 'steps' }
  /** The contexts `github` (without a token), `inputs`, `vars`, `needs`, `matrix`, `strategy`. */
  readonly contexts: {
    readonly github: JsonObject
    readonly inputs: JsonObject
    readonly vars: JsonObject
    readonly needs: NeedsContext
    readonly matrix: JsonObject | null
    readonly strategy: JobPlan['strategy']
  }
  readonly secrets: Readonly<Record<string, string>>
  /** The secret of the job's token, which ends with the job. */
  readonly token: string
  /** Aborts with `cancelled` when the job should end; it has ten seconds then. */
  readonly stop: AbortSignal
}

/** Queued jobs in the order in which they are taken. */
function* queuedJobs(db: Db): Generator<JobRow> {
  for (let offset = 0; offset < MAX_CANDIDATES; offset += CANDIDATES_AT_ONCE) {
    const jobs = listQueued(db, { limit: CANDIDATES_AT_ONCE, offset })
    yield* jobs
    if (jobs.length < CANDIDATES_AT_ONCE) return
  }
}

/** Takes the next job that a runner may run; null when there is none. */
export async function takeQueuedJob(hearth: Hearth, runner: JobRunner): Promise<JobToRun | null> {
  for (const job of queuedJobs(hearth.db)) {
    if (!(runner.mayClaim?.(hearth.db) ?? true)) return null
    if (!(runner.serves?.(job) ?? true)) continue
    if (!runner.accepts(JSON.parse(job.labels) as string[])) continue
    if (!(runner.wants?.(job) ?? true)) continue
    const run = findRun(hearth.db, job.run_id)
    if (!run || (run.trusted === 0 && !runner.takesUntrusted)) continue
    let stop = neverStops()
    const token = await writeAs(hearth, null, (tx) => {
      const token = claim(tx, job, run, runner)
      // Only jobs of this process are stopped through a signal. Two slots may try the same job, so
      // only the one that has it may enter it, and before anybody can see that it runs.
      if (token !== null && runner.id === null) stop = runningJobs(hearth).begin(job.id)
      return token
    })
    if (token === null) continue
    try {
      // After a new version, models may have to be read from git again.
      if (job.parent !== null) await readModels(hearth, run)
      return jobToRun(hearth, job, run, { token, stop })
    } catch (error) {
      // For example a secret that was sealed with another installation key.
      const reason = error instanceof Error ? error.message : String(error)
      await finishJob(hearth, job.id, { conclusion: 'failure', reason, outputs: {} })
    }
  }
  return null
}

/**
 * Says why queued jobs do not begin that a runner has the labels for, where `reasonFor` knows why.
 * They stay in the queue, for the day that it takes them.
 */
export async function explainQueued(
  hearth: Hearth,
  runner: Pick<JobRunner, 'accepts'>,
  reasonFor: (job: JobRow, isTrusted: boolean) => string | null,
): Promise<void> {
  const waiting = [...queuedJobs(hearth.db)].flatMap((job) => {
    if (job.waiting_for !== null || !runner.accepts(JSON.parse(job.labels) as string[])) return []
    const reason = reasonFor(job, findRun(hearth.db, job.run_id)?.trusted === 1)
    return reason === null ? [] : [{ id: job.id, reason }]
  })
  if (waiting.length === 0) return
  await writeAs(hearth, null, (tx) => {
    for (const { id, reason } of waiting) {
      const job = findJob(tx.db, id)
      if (job?.status !== 'queued' || job.waiting_for !== null) continue
      setWaitsForRunner(tx, id, reason)
      requestScheduling(tx, job.run_id)
      tx.afterCommit(() => notifyJobChange(tx.hearth, job))
    }
  })
}

const neverStops = (): AbortSignal => new AbortController().signal

/** A job that a runner has, with its secrets but without its token; null when it has ended. */
export async function takenJob(hearth: Hearth, job_id: string): Promise<JobToRun | null> {
  const job = findJob(hearth.db, job_id)
  const run = job && findRun(hearth.db, job.run_id)
  if (job?.status !== 'in_progress' || !run) return null
  if (job.parent !== null) await readModels(hearth, run)
  return jobToRun(hearth, job, run, { token: '', stop: neverStops() })
}

/** Queues a job again whose task could not be sent to its runner. */
export const requeueUndeliveredJob = (hearth: Hearth, job_id: string): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const job = findJob(tx.db, job_id)
    if (job?.status === 'in_progress' && job.runner_id !== null) queueAgain(tx, job)
  })

/** A job that was sent to runners this often without a report fails. */
const MAX_DELIVERIES = 3

/** Queues a job again whose runner sent no report about it. */
export function requeueUnacknowledgedJob(tx: Tx, job_id: string): void {
  const job = findJob(tx.db, job_id)
  if (job?.status !== 'in_progress' || job.runner_id === null) return
  const isCancelled = job.cancel_requested === 1
  if (!isCancelled && job.interruptions < MAX_DELIVERIES) return queueAgain(tx, job)
  const reason = `The runner ${job.runner_name} was given the job, and never began it`
  endJob(tx, job, { conclusion: isCancelled ? 'cancelled' : 'failure', reason, outputs: {} })
  requestScheduling(tx, job.run_id)
  tx.afterCommit(() => notifyJobChange(tx.hearth, job))
}

function queueAgain(tx: Tx, job: JobRow): void {
  requeue(tx, job.id)
  tx.emit(jobChanged, { job_id: job.id })
  endJobToken(tx, job.id)
  requestScheduling(tx, job.run_id)
  tx.emit(jobsQueued, {})
}

/** Gives a job to a runner. Returns the secret of its token; null when the job is taken. */
function claim(tx: Tx, job: JobRow, run: RunRow, runner: JobRunner): string | null {
  const { id, name } = runner
  if (!(runner.mayClaim?.(tx.db) ?? true)) return null
  if (!claimJob(tx, job.id, { id, name, lease_until: tx.now_ms + LEASE_MS })) return null
  setRunStatus(tx, job.run_id, 'in_progress', null)
  const token = makeJobToken(tx, job, run) ?? ''
  runner.onClaim?.(tx, job, token)
  tx.emit(jobChanged, { job_id: job.id })
  return token
}

function jobToRun(
  hearth: Hearth,
  job: JobRow,
  run: RunRow,
  given: Pick<JobToRun, 'token' | 'stop'>,
): JobToRun {
  const repo = repoById(hearth.db, job.repo_id)
  const plan = job.plan === null ? null : (JSON.parse(job.plan) as JobPlan)
  if (!repo || plan?.kind !== 'steps')
    throw new Error('the job has no plan, or its repository is gone')
  const scope = {
    repo_id: repo.id,
    workspace_id: repo.workspace_id,
    environment: plan.environment?.name ?? null,
  }
  return {
    id: job.id,
    key: job.key,
    name: job.name,
    jobId: job.job_id,
    repo: { id: repo.id, full_name: fullNameOf(hearth.db, repo), store: repo.store },
    run,
    isTrusted: run.trusted === 1,
    plan,
    contexts: {
      github: githubContext(hearth, run),
      inputs: plan.inputs,
      vars: Object.fromEntries(variablesFor(hearth.db, scope)),
      needs: needsContext(listJobs(hearth.db, run.id, job.attempt), job),
      matrix: plan.matrix,
      strategy: plan.strategy,
    },
    secrets: run.trusted === 1 ? secretsForJob(hearth, run, job, { plan, scope }) : {},
    ...given,
  }
}

/** Says that the runner of a job is alive. False when the job is no longer its. */
export const renewLease = (hearth: Hearth, job_id: string): Promise<boolean> =>
  writeAs(hearth, null, (tx) => {
    const job = findJob(tx.db, job_id)
    if (job?.status !== 'in_progress') return false
    setLease(tx, job_id, tx.now_ms + LEASE_MS)
    return true
  })

export type StepReport = Omit<StepRow, 'job_id'>
export type LogReport = { readonly bytes: number; readonly lines: number; readonly state: LogState }

/**
 * Reports the states of steps, and how long the log is. Renews the lease. False when the job has
 * ended; then only the length of the log counts.
 */
export function reportStepsNow(
  tx: Tx,
  job_id: string,
  steps: readonly StepReport[],
  log: LogReport | null,
): boolean {
  const job = findJob(tx.db, job_id)
  if (job && log) setLog(tx, job_id, log)
  if (job?.status !== 'in_progress') return false
  for (const step of steps) putStep(tx, { ...step, job_id })
  setLease(tx, job_id, tx.now_ms + LEASE_MS)
  tx.afterCommit(() => notifyJobChange(tx.hearth, job))
  return true
}

export const reportSteps = (
  hearth: Hearth,
  job_id: string,
  steps: readonly StepReport[],
  log: LogReport | null = null,
): Promise<boolean> => writeAs(hearth, null, (tx) => reportStepsNow(tx, job_id, steps, log))

export type JobResult = {
  readonly conclusion: Conclusion
  /** Why it did not succeed, in one line; null when the steps say it. */
  readonly reason: string | null
  readonly outputs: Readonly<Record<string, string>>
  readonly steps?: readonly StepReport[]
  readonly annotations?: readonly AnnotationReport[]
  readonly log?: LogReport
  /** Markdown. */
  readonly summary?: string
  /** The address of the environment of the job. */
  readonly url?: string
}

/** Ends a job. Without effect when it has ended already, for example because it was cancelled. */
export async function finishJob(hearth: Hearth, job_id: string, result: JobResult): Promise<void> {
  await writeAs(hearth, null, (tx) => finishJobNow(tx, job_id, result))
  runningJobs(hearth).end(job_id)
}

export function finishJobNow(tx: Tx, job_id: string, result: JobResult): void {
  const job = findJob(tx.db, job_id)
  // The log of a cancelled job is still complete.
  if (job && result.log) setLog(tx, job_id, result.log)
  if (job?.status !== 'in_progress') return
  for (const step of result.steps ?? []) putStep(tx, { ...step, job_id })
  addAnnotations(tx, job_id, result.annotations ?? [])
  if (result.summary) setSummary(tx, job_id, result.summary.slice(0, MAX_SUMMARY_CHARS))
  endJob(tx, job, result, result.url)
  requestScheduling(tx, job.run_id)
  tx.afterCommit(() => notifyJobChange(tx.hearth, job))
}

function addAnnotations(tx: Tx, job_id: string, annotations: readonly AnnotationReport[]): void {
  const counts = new Map<string, number>()
  let position = 0
  for (const one of annotations) {
    const key = `${one.step} ${one.level}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count > MAX_ANNOTATIONS_PER_STEP || position >= MAX_ANNOTATIONS) continue
    insertAnnotation(tx, {
      ...one,
      message: one.message.slice(0, MAX_MESSAGE_CHARS),
      job_id,
      position: position++,
    })
  }
}

/** The names under which jobs read their own token. */
export const TOKEN_SECRETS: readonly string[] = ['GITHUB_TOKEN', 'HEARTH_TOKEN']

const STOPPED = 'The server was stopped while the job ran'

/**
 * Ends jobs of this process that no longer run in it, after a stop or crash. A job that may have
 * had an effect elsewhere (an environment, secrets, a token that writes) ends as failed. Others run
 * again, once.
 */
export function endInterrupted(tx: Tx): void {
  const running = runningJobs(tx.hearth)
  for (const job of listLeased(tx.db)) {
    const isOurs = job.runner_id === null
    // Runners could not report while this process did not run.
    const leaseUntil = Math.max(job.lease_until ?? 0, running.startedAt + LEASE_MS)
    if (isOurs ? running.has(job.id) : leaseUntil > tx.now_ms) continue
    endLost(tx, job, isOurs ? STOPPED : `The runner ${job.runner_name} stopped reporting`)
  }
}

/**
 * Does so at once for jobs of this machine, if there are any: the slots of the runner begin with it
 * after a start, so that no job seems to run until the next check.
 */
export async function endInterruptedHere(hearth: Hearth): Promise<void> {
  const running = runningJobs(hearth)
  const isLost = (job: JobRow): boolean => job.runner_id === null && !running.has(job.id)
  if (listLeased(hearth.db).some(isLost)) await writeAs(hearth, null, endInterrupted)
}

/** Ends the jobs of a runner that is removed, or queues them again. */
export function endJobsOfRunner(tx: Tx, runner_id: string): void {
  for (const job of listLeased(tx.db))
    if (job.runner_id === runner_id) endLost(tx, job, `The runner ${job.runner_name} was removed`)
}

function endLost(tx: Tx, job: JobRow, reason: string): void {
  const plan = job.plan === null ? null : (JSON.parse(job.plan) as JobPlan)
  const mayRepeat = job.runner_id === null || hasNotBegun(tx.db, job)
  if (job.cancel_requested === 1) {
    // What somebody cancelled does not begin again.
    endJob(tx, job, { conclusion: 'cancelled', reason, outputs: {} })
    requestScheduling(tx, job.run_id)
  } else if (mayRepeat && job.interruptions === 0 && plan !== null && isRepeatable(plan)) {
    queueAgain(tx, job)
  } else {
    endJob(tx, job, { conclusion: 'failure', reason, outputs: {} })
    requestScheduling(tx, job.run_id)
  }
}

/** Whether a runner never said anything about a job: perhaps it never heard of it. */
const hasNotBegun = (db: Db, job: JobRow): boolean =>
  job.log_lines === 0 && listSteps(db, [job.id]).length === 0

function isRepeatable(plan: JobPlan): boolean {
  if (plan.kind !== 'steps' || plan.environment !== null) return false
  if (plan.secrets === 'all' || plan.secrets.some((name) => !TOKEN_SECRETS.includes(name)))
    return false
  const { permissions } = plan
  if (permissions === null) return true
  return 'all' in permissions
    ? permissions.all !== 'write'
    : !Object.values(permissions.scopes).includes('write')
}

/** Tells live pages that a job changed. */
function notifyJobChange(hearth: Hearth, job: Pick<JobRow, 'id' | 'run_id'>): void {
  runChanges(hearth).notify(job.run_id)
}
