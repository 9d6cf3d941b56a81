/**
 * Runs the commands of one run, in their order, in one folder. What one command leaves the next one
 * finds. One that fails does not keep the others from running: each says something of its own about
 * the change. One that cannot be run does, because then something is wrong here.
 *
 * A process that ends takes its commands with it; the run is begun again from its start by the next
 * one, and has passed only when every command has, in one go.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { GitError } from '#git'
import { describeIsolation } from '#runner'
import { endRun } from './end.ts'
import { tellRunChange } from './logs.ts'
import { runCommand } from './run-command.ts'
import { beginCommands } from './running.ts'
import { isolationOf, limitsOf, runnerOf } from './runners.ts'
import { findRun, isOver, listResults, setStarted, setTested, type RunRow } from './store.ts'
import { checkOut, testedCommit, Untestable } from './tested-commit.ts'

export const runChecksJob = job<{ run_id: string }>({
  kind: 'run_checks',
  lane: 'commands',
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
        // Something here is wrong, perhaps only now; people are told when trying again has not
        // helped.
        if (attempt < 3) throw error
      }
      await end(hearth, run_id, known ?? 'something went wrong on this server; its log says what')
    } finally {
      work.end()
    }
    if (signal.aborted) throw new Error('the process is stopping')
  },
})

const end = (hearth: Hearth, run_id: string, reason: string | null): Promise<void> =>
  writeAs(hearth, null, (tx) => endRun(tx, run_id, reason))

async function begin(hearth: Hearth, run_id: string): Promise<RunRow | null> {
  const run = await writeAs(hearth, null, (tx) => {
    const row = findRun(tx.db, run_id)
    if (!row || isOver(row) || row.state === 'waiting') return null
    setStarted(tx, run_id)
    return findRun(tx.db, run_id)
  })
  tellRunChange(hearth, run_id)
  return run
}

async function runAll(hearth: Hearth, run_id: string, signal: AbortSignal): Promise<void> {
  const run = await begin(hearth, run_id)
  if (!run) return
  const repo = repoById(hearth.db, run.repo_id)
  if (!repo || repo.deleted_at !== null) return end(hearth, run_id, 'the repository is gone')
  const isolation = await isolationOf(hearth)
  if (isolation.kind === 'missing')
    return end(
      hearth,
      run_id,
      `${describeIsolation(isolation)}. An administrator of this site can change that`,
    )
  const commit = await testedCommit(hearth, repo.store, run)
  await writeAs(hearth, null, (tx) => setTested(tx, run_id, commit))

  const runner = runnerOf(hearth)
  const place = await runner.workplace(run_id)
  try {
    await checkOut(hearth, repo.store, commit, place, limitsOf(hearth, run.timeout_ms).disk)
    await runner.ready(place)
    for (const result of listResults(hearth.db, run_id)) {
      if (signal.aborted) return
      const status = await runCommand(hearth, run, result, place, signal)
      if (status === null) return
      if (status === 'errored') return await end(hearth, run_id, 'a command could not be started')
    }
  } finally {
    if (!(await runner.remove(place)))
      hearth.log.warn('a folder of acceptance checks could not be taken away', { run: run_id })
  }
  await end(hearth, run_id, null)
}
