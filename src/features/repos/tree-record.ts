/** Entries of a folder as records. */
import type { Commit, TreeEntry as Entry } from '#git'
import type { TreeEntry } from './schema.ts'
import { commitTime, titleOf } from './commit-records.ts'

/** One entry of `directory`, with the commit that last changed it when that is known. */
export const treeEntryRecord = (directory: string, entry: Entry, last: Commit | undefined): TreeEntry => ({
  path: directory === '' ? entry.path : `${directory}/${entry.path}`,
  name: entry.name,
  type: entry.type,
  mode: entry.mode,
  sha: entry.oid,
  size: entry.size,
  last_commit: last ? { sha: last.oid, title: titleOf(last.message), date: commitTime(last.committer.time) } : null,
})
