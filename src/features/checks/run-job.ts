/**
 * Runs the commands of a run in order, in one folder, so that each finds the files of the one
 * before. A failed command does not stop the others, because each says something about the change.
 * A command that cannot be started does, because then the fault is on this server. When the process
 * ends, its commands end with it, and the next process repeats the run from the start. A run passes
 * only when all commands passed in one go.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { GitError } from '#git'
import { describeIsolation } from '#runner'
import { endRun } from './end-run.ts'
import { notifyRunChange } from './logs.ts'
import { runCommand } from './run-command.ts'
import { beginCommands } from './running-commands.ts'
import { isolationOf, limitsOf, runnerOf } from './runner.ts'
import { findRun, hasEnded, listResults, setStarted, setTested, type RunRow } from './store.ts'
import { checkOut, testedCommit, Untestable } from './tested-commit.ts'

export const runChecksJob = job<{ run_id: string }>({
  kind: 'run_checks',
  queue: 'commands',
  retry: ['10s', '1m'],
  run: async ({ hearth, signal, attempt }, { run_id }) => {
    const work = beginCommands(hearth, run_id)
    const either = AbortSignal.any([signal, work.signal])
    try {
      await runAll(hearth, run_id, either)
    } catch (error) {
      if (either.aborted && !signal.aborted) return
      if (signal.aborted) throw new Error('the process is stopping')
      const known =
        error instanceof Untestable
          ? error.message
          : error instanceof GitError && error.code === 'missing'
            ? 'its commits are gone'
            : null
      if (known === null) {
        hearth.log.error('acceptance checks could not be run', { run: run_id, attempt, error })
        // The fault is on this server and may be temporary. It is reported after three attempts.
        if (attempt < 3) throw error
      }
      await finishRun(
        hearth,
        run_id,
        known ?? 'something went wrong on this server; its log says what',
      )
    } finally {
      work.end()
    }
    if (signal.aborted) throw new Error('the process is stopping')
  },
})

const finishRun = (hearth: Hearth, run_id: string, reason: string | null): Promise<void> =>
  writeAs(hearth, null, (tx) => endRun(tx, run_id, reason))

async function startRun(hearth: Hearth, run_id: string): Promise<RunRow | null> {
  const run = await writeAs(hearth, null, (tx) => {
    const row = findRun(tx.db, run_id)
    if (!row || hasEnded(row) || row.state === 'waiting') return null
    setStarted(tx, run_id)
    return findRun(tx.db, run_id)
  })
  notifyRunChange(hearth, run_id)
  return run
}

async function runAll(hearth: Hearth, run_id: string, signal: AbortSignal): Promise<void> {
  const run = await startRun(hearth, run_id)
  if (!run) return
  const repo = repoById(hearth.db, run.repo_id)
  if (!repo || repo.deleted_at !== null) return finishRun(hearth, run_id, 'the repository is gone')
  const isolation = await isolationOf(hearth)
  if (isolation.kind === 'missing')
    return finishRun(
      hearth,
      run_id,
      `${describeIsolation(isolation)}. An administrator of this site can change that`,
    )
  const commit = await testedCommit(hearth, repo.store, run)
  await writeAs(hearth, null, (tx) => setTested(tx, run_id, commit))

  const runner = runnerOf(hearth)
  const place = await runner.createDirectory(run_id)
  try {
    await checkOut(
      hearth,
      repo.store,
      commit,
      place.build,
      limitsOf(hearth, run.timeout_ms).diskBytes,
    )
    await runner.handOver(place)
    for (const result of listResults(hearth.db, run_id)) {
      if (signal.aborted) return
      const status = await runCommand(hearth, run, result, place, signal)
      if (status === null) return
      if (status === 'errored')
        return await finishRun(hearth, run_id, 'a command could not be started')
    }
  } finally {
    if (!(await runner.removeDirectory(place)))
      hearth.log.warn('a folder of acceptance checks could not be taken away', { run: run_id })
  }
  await finishRun(hearth, run_id, null)
}
