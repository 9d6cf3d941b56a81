/** The runs and jobs of a concurrency group. They share the names of groups of a repository. */
import type { Tx } from '#core/write.ts'
import { listJobsOfGroup, type JobRow } from '../jobs/store-jobs.ts'
import { findRun, listRunsOfGroup, type RunRow } from './store-runs.ts'

export type Member =
  | { readonly kind: 'run'; readonly row: RunRow }
  | { readonly kind: 'job'; readonly row: JobRow }

export const waitsForGroup = ({ row }: Member): boolean => row.waiting_for === 'concurrency'

/** The unfinished runs, then the unfinished jobs that entered a group, each the oldest first. */
export const membersOf = (tx: Tx, repo_id: string, group: string): Member[] => [
  ...listRunsOfGroup(tx.db, repo_id, group).map((row) => ({ kind: 'run' as const, row })),
  ...listJobsOfGroup(tx.db, repo_id, group).map((row) => ({ kind: 'job' as const, row })),
]

/** `Test #12`, or `build of Test #12`. */
export function nameOfMember(tx: Tx, { kind, row }: Member): string {
  const run = kind === 'run' ? row : findRun(tx.db, row.run_id)
  const whole = run ? `${run.name} #${run.number}` : 'a run'
  return kind === 'run' ? whole : `${row.name} of ${whole}`
}

/** The run to decide about after a member of a group has ended; null when nobody waits. */
export function nextRunOfGroup(tx: Tx, repo_id: string, group: string): string | null {
  const next = membersOf(tx, repo_id, group).find(waitsForGroup)
  if (next === undefined) return null
  return next.kind === 'run' ? next.row.id : next.row.run_id
}
