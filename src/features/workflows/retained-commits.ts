/** Commits of runs that garbage collection keeps, so that a rerun finds its code and its file. */
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import type { RetainedPage } from '#features/repos/index.ts'
import { listCommitsOfRuns } from './runs/store-runs.ts'

const RUNS_PER_PAGE = 250

export function retainedCommitsOfRuns(db: Db, repo_id: string, after: string): RetainedPage {
  const runs = listCommitsOfRuns(db, repo_id, after, RUNS_PER_PAGE)
  const oids = runs.flatMap(({ sha, head_sha, workflow_sha }): Oid[] => [
    sha,
    head_sha,
    workflow_sha,
  ])
  return { oids, next: runs.length < RUNS_PER_PAGE ? null : (runs.at(-1)?.id ?? null) }
}
