/**
 * What runs say about commits: a context for each workflow, and one for each job as
 * `workflow / job`. Rules require them by these names.
 */
import type { Db } from '#core/db.ts'
import type { CommitContext } from '#features/repos/index.ts'
import type { Oid } from '#git'
import type { Conclusion, RunStatus } from './schema.ts'
import { listJobs } from './jobs/store-jobs.ts'
import { listLatestOfCommits, type RunRow } from './runs/store-runs.ts'

type State = CommitContext['state']

/** The state of a run or job as a check. */
export function checkState(status: RunStatus, conclusion: Conclusion | null): State {
  if (status !== 'completed') return 'pending'
  if (conclusion === 'success' || conclusion === 'skipped' || conclusion === 'neutral')
    return 'success'
  if (conclusion === 'startup_failure') return 'error'
  return conclusion === 'action_required' ? 'pending' : 'failure'
}

const SEVERITY: readonly State[] = ['success', 'pending', 'error', 'failure']
const worse = (a: State, b: State): State => (SEVERITY.indexOf(a) >= SEVERITY.indexOf(b) ? a : b)

type Found = { state: State; trusted: State | null }

/** The implementation of `commitContexts`. */
export function contextsOfRuns(
  db: Db,
  repo_id: string,
  shas: readonly Oid[],
): Map<Oid, CommitContext[]> {
  const byCommit = new Map<Oid, Map<string, Found>>()
  for (const run of listLatestOfCommits(db, repo_id, shas)) {
    const contexts = byCommit.get(run.head_sha) ?? new Map<string, Found>()
    byCommit.set(run.head_sha, contexts)
    for (const { context, state } of contextsOfRun(db, run)) {
      const known = contexts.get(context)
      const trusted = run.counts === 1 ? state : null
      contexts.set(context, {
        state: known ? worse(known.state, state) : state,
        trusted: known ? combine(known.trusted, trusted) : trusted,
      })
    }
  }
  return new Map(
    [...byCommit].map(([sha, contexts]) => [
      sha,
      [...contexts].map(([context, found]) => ({ context, ...found })),
    ]),
  )
}

/** A run that does not count leaves the others as they are. */
const combine = (a: State | null, b: State | null): State | null =>
  a === null || b === null ? (a ?? b) : worse(a, b)

const contextsOfRun = (db: Db, run: RunRow): { context: string; state: State }[] => [
  { context: run.name, state: checkState(run.status, run.conclusion) },
  ...listJobs(db, run.id, run.attempt).map(({ name, status, conclusion }) => ({
    context: `${run.name} / ${name}`,
    state: checkState(status, conclusion),
  })),
]
