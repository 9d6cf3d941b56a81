import type { Db } from '#core/db.ts'
import { refsOf, repoByPath } from '#features/repos/index.ts'

/** The refs of a repository, by name. */
export function listRefsOf(db: Db, path: string): Map<string, string> {
  const repo = repoByPath(db, path)
  if (!repo) throw new Error(`no repository ${path}`)
  return new Map(refsOf(db, repo.id).refs.map(({ name, oid }) => [name, oid]))
}
