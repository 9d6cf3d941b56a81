/** The jobs that run in this process, and how they are told to stop. */
import { service } from '#core/service.ts'

export type StopReason = 'cancelled' | 'timed_out'

/** Aborts with a `StopReason` when the job should end. */
type Stop = AbortController

class RunningJobs {
  readonly #stops = new Map<string, Stop>()

  /** `startedAt` is when this process began to look after jobs. */
  constructor(readonly startedAt: number) {}

  begin(job_id: string): AbortSignal {
    const stop = new AbortController()
    this.#stops.set(job_id, stop)
    return stop.signal
  }

  end(job_id: string): void {
    this.#stops.delete(job_id)
  }

  has(job_id: string): boolean {
    return this.#stops.has(job_id)
  }

  stop(job_id: string, reason: StopReason): void {
    this.#stops.get(job_id)?.abort(reason)
  }
}

export const runningJobs = service(
  'running workflow jobs',
  ({ clock }) => new RunningJobs(clock.now()),
)
