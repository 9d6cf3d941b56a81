/** Logs of jobs: `logs/jobs/<repository>/<job>`, growing while the job runs, and packed afterwards. */
import { rm } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { namesIn } from '#lib/disk.ts'
import { DAY } from '#lib/time.ts'
import { expireLog, setLogStored, type JobLogReader } from '#features/workflows/index.ts'
import { packLog, readGrowingLog, readPackedLog } from '#runner'

export type LogName = { readonly repo_id: string; readonly id: string }

const rootOf = ({ settings }: Pick<Hearth, 'settings'>): string =>
  join(settings.data, 'logs', 'jobs')

/** The path of a log without its ending. */
export const logPath = (hearth: Pick<Hearth, 'settings'>, { repo_id, id }: LogName): string =>
  join(rootOf(hearth), repo_id, id)

const GROWING_ENDINGS = ['.log', '.idx']
const PACKED_ENDING = '.zst'

/** Packs the log of a job that has ended, and removes its growing form. */
export async function packJobLog(hearth: Hearth, name: LogName, lines: number): Promise<void> {
  const path = logPath(hearth, name)
  const packed = `${path}${PACKED_ENDING}`
  await packLog(path, packed, lines)
  const size = statSync(packed, { throwIfNoEntry: false })?.size ?? 0
  await writeAs(hearth, null, (tx) => setLogStored(tx, name.id, size))
  for (const ending of GROWING_ENDINGS) await rm(`${path}${ending}`, { force: true })
}

export const readJobLog: JobLogReader = async (hearth, job, from, count) => {
  // A job that was not run again has the log of its earlier attempt.
  const path = logPath(hearth, { repo_id: job.repo_id, id: job.same_as ?? job.id })
  return (
    (await readPackedLog(`${path}${PACKED_ENDING}`, from, count)) ??
    readGrowingLog(path, from, count) ?? { lines: [], next: null }
  )
}

async function removeLog(hearth: Hearth, name: LogName): Promise<void> {
  for (const ending of [...GROWING_ENDINGS, PACKED_ENDING])
    await rm(`${logPath(hearth, name)}${ending}`, { force: true })
}

export const removeJobLogs = job<{ logs: readonly LogName[] }>({
  kind: 'remove_job_logs',
  run: async ({ hearth }, { logs }) => {
    for (const name of logs) await removeLog(hearth, name)
  },
})

export const removeLogsOfRepo = job<{ repo_id: string }>({
  kind: 'remove_job_logs_of_repo',
  run: ({ hearth }, { repo_id }) =>
    rm(join(rootOf(hearth), repo_id), { recursive: true, force: true }),
})

/** Removes logs that nothing was written to for as long as logs are kept. */
export const sweepJobLogs = job<null>({
  kind: 'sweep_job_logs',
  every: '6h',
  run: async ({ hearth, signal }) => {
    const before = hearth.clock.now() - hearth.settings.jobs.keep_days * DAY
    for (const repo_id of namesIn(rootOf(hearth)))
      for (const name of namesIn(join(rootOf(hearth), repo_id))) {
        if (signal.aborted) return
        const path = join(rootOf(hearth), repo_id, name)
        const stat = statSync(path, { throwIfNoEntry: false })
        if (!stat || stat.mtimeMs >= before) continue
        await rm(path, { force: true })
        const id = name.slice(0, -PACKED_ENDING.length)
        if (name.endsWith(PACKED_ENDING)) await writeAs(hearth, null, (tx) => expireLog(tx, id))
      }
  },
})
