/** Entries of a folder as records. */
import type { TreeEntry as Entry } from '#git'
import type { TreeEntry } from './schema.ts'
import { commitTime } from './commit-records.ts'
import type { Credit } from './credit.ts'

/** One entry of `directory`, with the commit that last changed it when that is known. */
export const treeEntryRecord = (
  directory: string,
  entry: Entry,
  last: Credit | undefined,
): TreeEntry => ({
  path: directory === '' ? entry.path : `${directory}/${entry.path}`,
  name: entry.name,
  type: entry.type,
  mode: entry.mode,
  sha: entry.oid,
  size: entry.size,
  last_commit: last ? { sha: last.oid, title: last.title, date: commitTime(last.time) } : null,
})
