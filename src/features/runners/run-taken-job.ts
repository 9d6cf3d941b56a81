/** Runs a job that was taken from the queue, reports its steps and its log, and ends it. */
import { isDiskFullError } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import { jobHomeFiles } from '#core/job-homes.ts'
import { limitsOf, runnerOf } from '#features/checks/index.ts'
import {
  finishJob,
  reportSteps,
  RUNTIME_SECRET,
  TOKEN_SECRETS,
  type JobResult,
  type JobToRun,
  type LogReport,
  type StepReport,
} from '#features/workflows/index.ts'
import { oneLine } from '#lib/one-line.ts'
import { HOUR, SECOND, timestamp } from '#lib/time.ts'
import { sleep } from '#lib/waiting.ts'
import { strategyContext } from '#actions'
import { LogWriter } from '#runner'
import { fetchActionForJob } from './actions/fetch-action.ts'
import { checkOutForJob } from './check-out.ts'
import { executeJob } from './execute/execute-job.ts'
import type { ExecutionHost, ExecutionResult, ForgeDoor, StepState } from './execute/job-input.ts'
import { GuardedLog } from './guarded-log.ts'
import { filesOf } from './job-files.ts'
import { containerAccess } from './job-containers.ts'
import { forgeAccess, networkOfJob } from './job-network.ts'
import { sarifUploadOf } from './job-sarif.ts'
import { logPath, packJobLog } from './job-logs.ts'
import { actionReaderOf } from './local-runner.ts'

/** Steps and the length of the log are reported at most so often. */
const REPORT_INTERVAL_MS = SECOND

/** After a write that met a full disk. */
const FINISH_RETRY_MS = 5 * SECOND

const FULL_DISK = 'The disk of the server is full. Ask an administrator to make room, and rerun'

const reportOf = (step: StepState): StepReport => ({
  ...step,
  started_at: step.started_at === null ? null : timestamp(step.started_at),
  finished_at: step.finished_at === null ? null : timestamp(step.finished_at),
})

/** Reports what changed since the report before. */
class Progress {
  readonly #steps = new Map<number, StepReport>()
  #reportedLines = 0
  #last: Promise<unknown> = Promise.resolve()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(
    private readonly hearth: Hearth,
    private readonly job_id: string,
    private readonly log: LogWriter,
  ) {
    this.#timer = setInterval(() => this.#flush(), REPORT_INTERVAL_MS)
  }

  add(step: StepState): void {
    this.#steps.set(step.number, reportOf(step))
    this.#flush()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#last
  }

  #flush(): void {
    const { lines, bytes } = this.log
    if (this.#steps.size === 0 && lines === this.#reportedLines) return
    const steps = [...this.#steps.values()]
    this.#steps.clear()
    this.#reportedLines = lines
    const log: LogReport = { bytes, lines, state: 'live' }
    this.#last = this.#last
      .then(() => reportSteps(this.hearth, this.job_id, steps, log))
      .catch((error: unknown) =>
        this.hearth.log.warn('steps of a job could not be reported', { job: this.job_id, error }),
      )
  }
}

/** What a job is told that could not go on. */
function failureOf(
  hearth: Hearth,
  job: JobToRun,
  error: unknown,
  isFull = isDiskFullError(error),
): ExecutionResult {
  if (isFull) hearth.log.warn('a job met a full disk', { job: job.id, error })
  else hearth.log.error('a job could not be run', { job: job.id, error })
  const reason = isFull ? FULL_DISK : 'Something went wrong on this server; its log says what'
  return {
    conclusion: 'failure',
    reason,
    outputs: {},
    url: null,
    steps: [],
    annotations: [],
    summary: '',
  }
}

/** Runs a job with its log. The length of the log is null when there is none. */
async function runLogged(
  hearth: Hearth,
  job: JobToRun,
  signal: AbortSignal,
): Promise<{ result: ExecutionResult; written: { bytes: number; lines: number } | null }> {
  let log: LogWriter
  try {
    log = new LogWriter(logPath(hearth, { repo_id: job.repo.id, id: job.id }))
  } catch (error) {
    return { result: failureOf(hearth, job, error), written: null }
  }
  const progress = new Progress(hearth, job.id, log)
  const sink = new GuardedLog(hearth, log)
  let result: ExecutionResult
  try {
    result = await execute(hearth, job, signal, {
      log: sink,
      report: (step) => progress.add(step),
    })
  } catch (error) {
    result = failureOf(hearth, job, error, sink.isFull || isDiskFullError(error))
  } finally {
    await progress.close()
    log.close()
  }
  return { result, written: { bytes: log.bytes, lines: log.lines } }
}

/** Ends a job. While the disk is full it tries again, so that no result is lost. */
async function finishWithRoom(
  hearth: Hearth,
  job_id: string,
  result: JobResult,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await finishJob(hearth, job_id, result)
    } catch (error) {
      if (!isDiskFullError(error)) throw error
      hearth.log.warn('the end of a job waits for room on the disk', { job: job_id, error })
      await sleep(FINISH_RETRY_MS, signal)
    }
  }
}

/** `signal` aborts when the process stops; then the job is not ended. */
export async function runTakenJob(
  hearth: Hearth,
  job: JobToRun,
  signal: AbortSignal,
): Promise<void> {
  const { result, written } = await runLogged(hearth, job, signal)
  if (signal.aborted) return
  const end: JobResult = {
    conclusion: result.conclusion,
    reason: result.reason === null ? null : oneLine(result.reason, 500),
    outputs: result.outputs,
    ...(result.url === null ? {} : { url: result.url }),
    steps: result.steps.map(reportOf),
    annotations: result.annotations,
    ...(written === null ? {} : { log: { ...written, state: 'packed' as const } }),
    summary: result.summary,
  }
  await finishWithRoom(hearth, job.id, end, signal)
  if (written !== null)
    await packJobLog(hearth, { repo_id: job.repo.id, id: job.id }, written.lines)
}

const tokenSecrets = (token: string): Record<string, string> =>
  Object.fromEntries(TOKEN_SECRETS.map((name) => [name, token]))

/** Settings of features, by which programs find this site where the job reaches it. */
function homeFilesOf(
  hearth: Hearth,
  job: JobToRun,
  door: ForgeDoor | null,
): Readonly<Record<string, string>> {
  const home = {
    workspace: job.repo.full_name.split('/')[0] ?? '',
    site_url: door?.address ?? hearth.settings.site_url,
    token: job.token,
  }
  return Object.assign({}, ...jobHomeFiles.all(hearth).map((files) => files(hearth, home)))
}

const execute = async (
  hearth: Hearth,
  job: JobToRun,
  kill: AbortSignal,
  { log, report }: Pick<ExecutionHost, 'log' | 'report'>,
): Promise<ExecutionResult> => {
  const { network, notice } = await networkOfJob(hearth, job)
  const { door, services } = await forgeAccess(hearth, job, network)
  return executeJob(
    {
      id: job.id.toLowerCase(),
      jobId: job.jobId,
      repository: job.repo.full_name,
      plan: job.plan,
      contexts: {
        ...job.contexts,
        github: { ...job.contexts.github, token: job.token },
        strategy: strategyContext(job.plan),
      },
      secrets: {
        ...job.secrets,
        ...tokenSecrets(job.token),
        ...(services ? { [RUNTIME_SECRET]: services.token } : {}),
      },
      ...(services ? { services } : {}),
      stop: job.stop,
      kill,
    },
    {
      runner: runnerOf(hearth),
      network,
      door,
      homeFiles: services === null ? {} : homeFilesOf(hearth, job, door),
      containers: await containerAccess(hearth, job),
      notice,
      limits: limitsOf(hearth, HOUR),
      now: () => hearth.clock.now(),
      log,
      checkOut: (folder, source) => checkOutForJob(hearth, job, folder, source, door?.address),
      fetchAction: (folder, name) => fetchActionForJob(hearth, job, name, folder),
      readAction: (text, path) => actionReaderOf(hearth).readAction(text, path, job.repo.id),
      report,
      ...filesOf(hearth, job),
      uploadSarif: sarifUploadOf(hearth, job),
    },
  )
}
