/** What the forge still names of a repository family beside its refs, read a page at a time. */
import type { Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { keptCommits } from './points.ts'
import { listRootsOfStore } from './store-refs.ts'

/** All that features keep of the commits of a store. Each part is read when it is asked for. */
export function* listKept(hearth: Hearth, store: string): Generator<readonly Oid[], void, void> {
  for (const repo_id of listRootsOfStore(hearth.db, store)) {
    for (const list of keptCommits.all(hearth)) {
      for (let after: string | null = ''; after !== null; ) {
        const { oids, next } = list(hearth.db, repo_id, after)
        yield oids
        after = next
      }
    }
  }
}
