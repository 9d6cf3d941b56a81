/** Collects all objects, of every type, that tips reach. */
import { BLOB, COMMIT, TREE } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { BitmapReach, bitmapMarks, walkMarks } from './bitmap-reach.ts'
import type { CommitTable } from './commit-table.ts'
import { peelRaw } from './peel.ts'

/**
 * `tips` are raw ids of 20 bytes each. With a bitmap only what is outside it is walked, and in the
 * largest pack each object takes one bit. Throws GitError `missing` when a tip or an object below
 * it is missing.
 */
export function* reachableObjects(
  store: ObjectStore,
  table: CommitTable,
  tips: Uint8Array,
): Generator<'pause', BitmapReach, unknown> {
  const reach = new BitmapReach(store, table, bitmapMarks(store) ?? walkMarks(store))
  const commits: number[] = []
  for (let at = 0; at < tips.length; at += 20) {
    const peeled = peelRaw(store, tips, at)
    if (peeled === null)
      throw new GitError(
        'missing',
        `object ${Buffer.from(tips.subarray(at, at + 20)).toString('hex')} is missing`,
      )
    for (const tag of peeled.tags) reach.addObject(tag)
    if (peeled.type === COMMIT) commits.push(table.numberOf(peeled.oid))
    else if (peeled.type === TREE) reach.addTree(peeled.oid)
    else if (peeled.type === BLOB) reach.addObject(peeled.oid)
  }
  yield* reach.addCommitsAndTrees([...new Set(commits)])
  return reach
}
