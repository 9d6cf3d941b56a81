/** Builds the public record of a tree entry. */
import type { TreeEntry as Entry } from '#git'
import type { TreeEntry } from '../schema.ts'
import { commitTime } from '../commits/commit-records.ts'
import type { CommitSummary } from '../blame/commit-summary.ts'

/** `last` is the commit that last changed the entry, when it is known. */
export const treeEntryRecord = (
  directory: string,
  entry: Entry,
  last: CommitSummary | undefined,
): TreeEntry => ({
  path: directory === '' ? entry.path : `${directory}/${entry.path}`,
  name: entry.name,
  type: entry.type,
  mode: entry.mode,
  sha: entry.oid,
  size: entry.size,
  last_commit: last ? { sha: last.oid, title: last.title, date: commitTime(last.time) } : null,
})
