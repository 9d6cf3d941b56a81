/** The runner of acceptance checks, with the limits and the isolation of this installation. */
import type { Condition } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { createRunner, describeIsolation, type Isolation, type Limits, type Runner } from '#runner'
import { join, resolve } from 'node:path'

/** The runner of a forge, with the limits and the isolation that its settings ask for. */
export const runnerOf = service(
  'check runner',
  ({ settings: { data, checks, jobs } }): Runner =>
    createRunner({
      directory: join(resolve(data), 'tmp', 'checks'),
      isolation: checks.isolation,
      network: checks.network,
      readable: checks.readable,
      containers:
        jobs.containers === 'none'
          ? null
          : { program: jobs.containers, privateImages: join(resolve(data), 'private-images') },
      keepsOneWaiting: jobs.local,
      hidden: [resolve(data)],
    }),
  { close: (runner) => runner.close() },
)

/**
 * The isolation of commands, or why they are refused. Tested once; the first call takes a moment.
 */
export const isolationOf = (hearth: Hearth): Promise<Isolation> => runnerOf(hearth).isolation()

/** The condition for site administrators. */
export async function isolationCondition(hearth: Hearth): Promise<Condition> {
  const isolation = await isolationOf(hearth)
  return {
    name: 'checks',
    state: isolation.kind === 'bubblewrap' ? 'ok' : 'attention',
    detail: `Acceptance checks: ${describeIsolation(isolation)}.`,
    href: null,
  }
}

/** Bytes of output that are stored for one command; beyond that, only its end. */
const MAX_OUTPUT_BYTES = 8 * 1024 ** 2
const MAX_OPEN_FILES = 4_096

export const limitsOf = ({ settings: { checks } }: Hearth, timeout_ms: number): Limits => ({
  timeMs: timeout_ms,
  memoryBytes: checks.memory,
  diskBytes: checks.disk,
  processes: checks.processes,
  files: MAX_OPEN_FILES,
  outputBytes: MAX_OUTPUT_BYTES,
})

/**
 * Runs before the job runner starts: removes leftovers of an earlier process, then tests the
 * isolation and logs it.
 */
export async function prepareChecks(hearth: Hearth): Promise<void> {
  await runnerOf(hearth).sweep()
  isolationOf(hearth).then(
    (isolation) =>
      hearth.log[isolation.kind === 'bubblewrap' ? 'info' : 'warn']('acceptance checks', {
        isolation: describeIsolation(isolation),
      }),
    (error: unknown) => hearth.log.error('acceptance checks could not be tried out', { error }),
  )
}
