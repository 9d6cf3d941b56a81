/** Collects all objects, of every type, that tips reach. */
import { BLOB, COMMIT, TREE } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { OidMap } from '../store/oid-map.ts'
import { ObjectCollector } from './object-collector.ts'
import type { CommitTable } from './commit-table.ts'
import { peelRaw } from './peel.ts'
import { selectCommits } from './select-commits.ts'

/**
 * `tips` are raw ids of 20 bytes each. Throws GitError `missing` when one of them or an object
 * below it is missing.
 */
export function* reachableObjects(
  store: ObjectStore,
  table: CommitTable,
  tips: Uint8Array,
): Generator<'pause', OidMap, unknown> {
  const collector = new ObjectCollector(store)
  const commits: number[] = []
  for (let at = 0; at < tips.length; at += 20) {
    const peeled = peelRaw(store, tips, at)
    if (peeled === null)
      throw new GitError(
        'missing',
        `object ${Buffer.from(tips.subarray(at, at + 20)).toString('hex')} is missing`,
      )
    for (const tag of peeled.tags) collector.addTag(tag)
    if (peeled.type === COMMIT) commits.push(table.numberOf(peeled.oid))
    else if (peeled.type === TREE || peeled.type === BLOB)
      collector.addNamed(peeled.oid, peeled.type)
  }
  const selection = selectCommits(table, [...new Set(commits)], [], () => false)
  for (const commit of selection.commits) collector.addCommit(table.oids, commit * 20)
  let steps = 0
  for (const commit of selection.commits) {
    collector.addTree(table.treeOids, commit * 20, [])
    if (++steps % 32 === 0) yield 'pause'
  }
  return collector.chosen
}
