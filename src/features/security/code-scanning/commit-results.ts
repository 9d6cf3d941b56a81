/**
 * What scanners say about the heads of pull requests, as a check named `code scanning / <tool>`: it
 * fails when the change adds a line with an open alert of a high or critical severity.
 */
import type { Db } from '#core/db.ts'
import type { CommitContext } from '#features/repos/index.ts'
import type { Oid } from '#git'
import { listPullResults } from './store-analyses.ts'

/** The implementation of `commitContexts`. */
export function contextsOfAnalyses(
  db: Db,
  repo_id: string,
  shas: readonly Oid[],
): Map<Oid, CommitContext[]> {
  const contexts = new Map<Oid, CommitContext[]>()
  for (const { head_sha, tool, failing, is_vouched } of listPullResults(db, repo_id, shas)) {
    const state = failing > 0 ? ('failure' as const) : ('success' as const)
    const known = contexts.get(head_sha) ?? []
    known.push({
      context: `code scanning / ${tool}`,
      state,
      trusted: is_vouched === 1 ? state : null,
    })
    contexts.set(head_sha, known)
  }
  return contexts
}
