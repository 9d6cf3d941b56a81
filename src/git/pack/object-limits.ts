import { GitError } from '../ports.ts'

/** Maximum size of a commit, tree or tag. They are held in memory whole, also on the event loop. */
export const MAX_NON_BLOB_BYTES = 32 << 20

/** Memory of the tables of a received pack for an entry, and for an id that the pack has or names. */
const ENTRY_BYTES = 26
const ID_BYTES = 40
/** Tables up to this size, of 2.5 million ids, are allowed for every pack. */
const FREE_TABLE_BYTES = 100 << 20
/** Larger ones need a pack that is not much smaller: real ones have 4 bytes for each of the tables. */
const MAX_TABLE_TIMES = 4

export const tableBytesOf = (entries: number, ids: number): number =>
  entries * ENTRY_BYTES + ids * ID_BYTES

/**
 * Throws GitError `too_large` when the trees of a pack name more ids than its size explains: deltas
 * can make millions of them out of a few bytes.
 */
export function requireExplainedIds(ids: number, packBytes: number): void {
  if (tableBytesOf(0, ids) > FREE_TABLE_BYTES + MAX_TABLE_TIMES * packBytes)
    throw new GitError('too_large', 'the pack names too many objects for its size')
}
