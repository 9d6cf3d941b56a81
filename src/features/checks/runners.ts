/**
 * The runner of this installation: made when it is first needed, with the limits and walls that are
 * set for it.
 */
import type { Db } from '#core/db.ts'
import type { Condition } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { createRunner, describeIsolation, type Isolation, type Limits, type Runner } from '#runner'
import { join, resolve } from 'node:path'

/** By the database, which a forge is whatever else is put around it. */
const runners = new WeakMap<Db, Runner>()

export function runnerOf(hearth: Hearth): Runner {
  const known = runners.get(hearth.db)
  if (known) return known
  const { data, checks } = hearth.settings
  const made = createRunner({
    directory: join(resolve(data), 'tmp', 'checks'),
    isolation: checks.isolation,
    network: checks.network,
    readable: checks.readable,
    hidden: [resolve(data)],
  })
  runners.set(hearth.db, made)
  return made
}

/**
 * What commands are shut in by, or why they are refused. Tried once; the first call takes a moment.
 */
export const isolationOf = (hearth: Hearth): Promise<Isolation> => runnerOf(hearth).isolation()

/** What whoever keeps the site is told of it. */
export async function isolationCondition(hearth: Hearth): Promise<Condition> {
  const isolation = await isolationOf(hearth)
  return {
    name: 'checks',
    state: isolation.kind === 'bubblewrap' ? 'ok' : 'attention',
    detail: `Acceptance checks: ${describeIsolation(isolation)}.`,
    href: null,
  }
}

/** Of the output of one command so much is kept, and besides it the end. */
const LOG_BYTES = 8 * 1024 ** 2
const OPEN_FILES = 4_096

export const limitsOf = ({ settings: { checks } }: Hearth, timeout_ms: number): Limits => ({
  time: timeout_ms,
  memory: checks.memory,
  disk: checks.disk,
  processes: checks.processes,
  files: OPEN_FILES,
  output: LOG_BYTES,
})

/**
 * Before the server takes up its jobs: sweeps what an earlier process left. Then the walls are
 * tried, and the log says what commands run in.
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
