/** Executes the steps of a job, from its empty folder to its result. */
import { ExpressionFault } from '#actions'
import type { ExecutableJob, ExecutionHost, ExecutionResult } from './job-input.ts'
import { JobReport } from './job-report.ts'
import { JobWorkplace } from './job-workplace.ts'
import { startContainers } from './start-containers.ts'
import { isDebugged } from './step-environment.ts'
import { StepRunner } from './step-runner.ts'

/** How long steps may go on after the job was cancelled, and after its time is over. */
const CANCEL_GRACE_MS = 10_000
const TIMEOUT_GRACE_MS = 60_000
const MINUTE_MS = 60_000
/** A timer of the runtime waits at most so long. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Ends a job early: first its step, and after a grace everything. */
class JobEnd {
  readonly signal: AbortSignal
  why: 'cancelled' | 'timed_out' | null = null
  readonly #controller = new AbortController()
  readonly #timeout: ReturnType<typeof setTimeout>
  readonly #cancel = (): void => this.#begin('cancelled')
  #hardEnd: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly stop: AbortSignal,
    minutes: number,
    private readonly endAll: () => void,
  ) {
    this.signal = this.#controller.signal
    const ms = Math.min(minutes * MINUTE_MS, MAX_TIMER_MS)
    this.#timeout = setTimeout(() => this.#begin('timed_out'), ms)
    stop.addEventListener('abort', this.#cancel, { once: true })
    if (stop.aborted) this.#cancel()
  }

  #begin(why: 'cancelled' | 'timed_out'): void {
    if (this.why !== null) return
    this.why = why
    const grace = why === 'cancelled' ? CANCEL_GRACE_MS : TIMEOUT_GRACE_MS
    this.#hardEnd = setTimeout(this.endAll, grace)
    this.#controller.abort()
  }

  close(): void {
    clearTimeout(this.#timeout)
    clearTimeout(this.#hardEnd)
    this.stop.removeEventListener('abort', this.#cancel)
  }
}

/**
 * Outputs are stored and other jobs read them, so one that holds a secret is left out, as GitHub
 * does. A warning at the last step names it.
 */
function withoutSecrets(
  outputs: Readonly<Record<string, string>>,
  report: JobReport,
  step: number,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(outputs)) {
    if (report.masks.finds(value))
      report.warning(step, `The output ${name} is left out, because it may contain a secret`)
    else kept[name] = report.withPublicAddress(value)
  }
  return kept
}

/** Throws only for faults of this server. */
export async function executeJob(
  job: ExecutableJob,
  host: ExecutionHost,
): Promise<ExecutionResult> {
  const report = new JobReport(host, isDebugged(job))
  report.masks.addSecrets(Object.values(job.secrets))
  const place = await JobWorkplace.create(job, host)
  const end = new JobEnd(job.stop, job.plan.timeoutMinutes, () => void place.endProcesses())
  const steps = new StepRunner(job, { host, report, place, end })
  const kill = (): void => void place.endProcesses()
  job.kill?.addEventListener('abort', kill, { once: true })
  if (job.kill?.aborted) kill()
  let outputs: Record<string, string> = {}
  let url: string | null = null
  try {
    if (host.notice) report.line(host.notice)
    await startContainers(job, { host, report, place, steps, signal: end.signal })
    await steps.runAll()
    outputs = withoutSecrets(await steps.evaluateOutputs(), report, job.plan.steps.length)
    url = await steps.evaluateUrl()
    if (url !== null) url = report.masks.finds(url) ? null : report.withPublicAddress(url)
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    report.failJob(error.message)
  } finally {
    end.close()
    job.kill?.removeEventListener('abort', kill)
    await place.close()
  }
  const { annotations, summary, fault } = report
  const conclusion = end.why ?? (fault === null ? steps.status : 'failure')
  const reason =
    end.why === 'timed_out' ? `The job took longer than ${job.plan.timeoutMinutes} minutes` : fault
  return { conclusion, reason, outputs, url, steps: report.steps, annotations, summary }
}
