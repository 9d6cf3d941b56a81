/** The table `pull_pushers`: who pushed to the head of a pull request. */
import type { Db } from '#core/db.ts'
import { memo, preload } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { RepoRow } from '#features/repos/index.ts'

/** Pull requests that are not merged and whose head is a branch; closed ones may be reopened. */
export const listPullsOfHead = (
  db: Db,
  repo: Pick<RepoRow, 'id' | 'parent_id'>,
  branch: string,
): string[] =>
  (repo.parent_id === null
    ? db.all<{ id: string }>(
        `SELECT id FROM pulls WHERE repo_id = ? AND branch = ? AND status <> 'merged'`,
        repo.id,
        branch,
      )
    : db.all<{ id: string }>('SELECT id FROM pulls WHERE fork_id = ?', repo.id)
  ).map(({ id }) => id)

export function addPushers(tx: Tx, pull_ids: readonly string[], principal_id: string): void {
  for (const pull_id of pull_ids)
    tx.db.run(
      'INSERT OR IGNORE INTO pull_pushers (pull_id, principal_id) VALUES (?, ?)',
      pull_id,
      principal_id,
    )
}

type PusherRow = { readonly pull_id: string; readonly principal_id: string }

const listPushers = (db: Db, pull_ids: readonly string[]): Map<string, Set<string>> =>
  new Map(
    [
      ...Map.groupBy(
        db.all<PusherRow>(
          `SELECT pull_id, principal_id FROM pull_pushers
           WHERE pull_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(pull_ids),
        ),
        ({ pull_id }) => pull_id,
      ),
    ].map(([pull_id, rows]) => [pull_id, new Set(rows.map((row) => row.principal_id))]),
  )

/** The people who pushed to the head of a pull request, themselves or by their agents. */
export const pushersOf = (db: Db, pull_id: string): ReadonlySet<string> =>
  memo(db, 'pushers', pull_id, () => listPushers(db, [pull_id]).get(pull_id) ?? new Set<string>())

/** Preloads the pushers of several pull requests. */
export const preloadPushers = (db: Db, pull_ids: readonly string[]): void =>
  preload(
    db,
    'pushers',
    pull_ids,
    () => listPushers(db, pull_ids),
    () => new Set<string>(),
  )
