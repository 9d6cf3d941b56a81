import type { Hearth } from '#core/hearth.ts'
import { refsOf, repoByPath } from '#features/repos/index.ts'

/** The refs of a repository, by name. */
export function listRefsOf(hearth: Hearth, path: string): Map<string, string> {
  const repo = repoByPath(hearth.db, path)
  if (!repo) throw new Error(`no repository ${path}`)
  return new Map(refsOf(hearth, repo.id).refs.map(({ name, oid }) => [name, oid]))
}
