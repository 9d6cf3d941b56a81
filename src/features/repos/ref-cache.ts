/**
 * Refs in memory. A repository's refs are asked for with every fetch and every page, and change rarely; the generation is
 * their key, so an entry can be old but never wrong. The least recently used go first.
 */
import type { RefSnapshot } from '#git'
import type { Db } from '#core/db.ts'
import { notFound } from '#lib/errors.ts'
import { repoById } from './store.ts'
import { listRefs } from './store-refs.ts'

/** About 100 bytes each: some 50 MB at most. */
const MOST_REFS = 500_000

const kept = new Map<string, RefSnapshot>()
let size = 0

const weight = (snapshot: RefSnapshot): number => snapshot.refs.length + 10

function keep(repo_id: string, snapshot: RefSnapshot): void {
  forget(repo_id)
  kept.set(repo_id, snapshot)
  size += weight(snapshot)
  for (const oldest of kept.keys()) {
    if (size <= MOST_REFS || oldest === repo_id) break
    forget(oldest)
  }
}

function forget(repo_id: string): void {
  const snapshot = kept.get(repo_id)
  if (!snapshot) return
  kept.delete(repo_id)
  size -= weight(snapshot)
}

/** The refs of a repository at this moment; 404 when the repository is gone. */
export function refsOf(db: Db, repo_id: string): RefSnapshot {
  const row = repoById(db, repo_id)
  if (!row) throw notFound('the repository')
  const generation = `${repo_id}.${row.refs_generation}`
  const known = kept.get(repo_id)
  if (known?.generation === generation) {
    kept.delete(repo_id)
    kept.set(repo_id, known)
    return known
  }
  const snapshot: RefSnapshot = { generation, head: `refs/heads/${row.default_branch}`, refs: listRefs(db, repo_id) }
  keep(repo_id, snapshot)
  return snapshot
}
