/**
 * Commits that comments on lines were made on: where such a line is now is found by comparing with
 * them.
 */
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import type { KeptPage } from '#features/repos/index.ts'

const COMMENTS_AT_ONCE = 1000

/** `after` is the number and the id of the last comment that was looked at. */
export function keptOfComments(db: Db, repo_id: string, after: string): KeptPage {
  const [number = '0', id = ''] = after.split(' ')
  const rows = db.all<{
    id: string
    number: number
    commit_sha: Oid | null
    applied_in: Oid | null
  }>(
    'SELECT id, number, commit_sha, applied_in FROM comments WHERE repo_id = ? AND path IS NOT NULL AND (number, id) > (?, ?) ORDER BY number, id LIMIT ?',
    repo_id,
    Number(number),
    id,
    COMMENTS_AT_ONCE,
  )
  const last = rows.at(-1)
  return {
    oids: rows.flatMap(({ commit_sha, applied_in }) =>
      [commit_sha, applied_in].filter((oid) => oid !== null),
    ),
    next: last === undefined || rows.length < COMMENTS_AT_ONCE ? null : `${last.number} ${last.id}`,
  }
}
