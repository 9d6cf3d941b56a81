/** Commits that features reference without a ref, read a page at a time. */
import type { Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { retainedCommits } from '../extension-points.ts'
import { listRootsOfStore } from '../store/refs.ts'

/**
 * Lists all commits of a store that features retain. Each page is read when the consumer asks for
 * it.
 */
export function* listRetainedCommits(
  hearth: Hearth,
  store: string,
): Generator<readonly Oid[], void, void> {
  for (const repo_id of listRootsOfStore(hearth.db, store)) {
    for (const list of retainedCommits.all(hearth)) {
      for (let after: string | null = ''; after !== null; ) {
        const { oids, next } = list(hearth.db, repo_id, after)
        yield oids
        after = next
      }
    }
  }
}
