import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findLastCommitsWithin } from '../blame/last-commits.ts'
import {
  refuseBadInput,
  pathNotFound,
  resolveCommit,
  parseTreePath,
} from '../refs/resolve-commit.ts'
import { Ref, TreeEntry, TreePath } from '../schema.ts'
import { treeEntryRecord } from './tree-record.ts'

export const listFolder = operation({
  name: 'list_folder',
  summary:
    'The entries of a folder without their sizes, with their last commits when those are found in the time given; for its page.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Ref,
    path: Type.Optional(TreePath),
    most: Type.Integer({ minimum: 1, maximum: 10_000 }),
    wait_ms: Type.Integer({ minimum: 0, maximum: 20_000 }),
  }),
  output: Type.Object({
    items: Type.Array(TreeEntry),
    /** Whether there are more than `most` entries. */
    more: Type.Boolean(),
    /** Whether the last commits are still being computed. */
    late: Type.Boolean(),
  }),

  handler: async ({ hearth, git, repo }, { ref, path = '', most, wait_ms }) => {
    const commit = await resolveCommit(hearth, repo, ref)
    const directory = parseTreePath(path)
    const [entries, last] = await refuseBadInput('path', () =>
      Promise.all([
        git.listTree(repo.store, commit, directory, { limit: most + 1 }),
        findLastCommitsWithin(hearth, repo.store, commit, directory, wait_ms),
      ]),
    )
    if (entries === null) throw pathNotFound(directory)
    return {
      items: entries
        .slice(0, most)
        .map((entry) => treeEntryRecord(directory, entry, last?.get(entry.name))),
      more: entries.length > most,
      late: last === null,
    }
  },
})
