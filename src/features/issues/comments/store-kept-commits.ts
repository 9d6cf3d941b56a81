/**
 * Commits that line comments were written on. Garbage collection must retain them, because the
 * present line is found by a diff against them.
 */
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import type { RetainedPage } from '#features/repos/index.ts'

const COMMENTS_PER_PAGE = 1000

/** `after` is the number and the id of the last comment of the previous page. */
export function retainedCommitsOfComments(db: Db, repo_id: string, after: string): RetainedPage {
  const [number = '0', id = ''] = after.split(' ')
  const rows = db.all<{
    id: string
    number: number
    commit_sha: Oid | null
    applied_in: Oid | null
  }>(
    `SELECT id, number, commit_sha, applied_in FROM comments WHERE repo_id = ?
      AND path IS NOT NULL AND (number, id) > (?, ?) ORDER BY number, id LIMIT ?`,
    repo_id,
    Number(number),
    id,
    COMMENTS_PER_PAGE,
  )
  const last = rows.at(-1)
  return {
    oids: rows.flatMap(({ commit_sha, applied_in }) =>
      [commit_sha, applied_in].filter((oid) => oid !== null),
    ),
    next:
      last === undefined || rows.length < COMMENTS_PER_PAGE ? null : `${last.number} ${last.id}`,
  }
}
