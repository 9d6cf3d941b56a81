import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { lastCommitsOf } from './last-commits.ts'
import { blameInput, headCommit, noSuchPath, resolveCommit, treePath } from './resolve.ts'
import { Ref, TreeEntry, TreePath } from './schema.ts'
import { treeEntryRecord } from './tree-record.ts'

const sizes = { size: 1000, max: 5000 }

/**
 * So long a listing waits for the last commits of a folder that nobody has asked for before; then
 * it goes out without them.
 */
const PATIENCE_MS = 5000

export const getTree = operation({
  name: 'get_tree',
  summary:
    'List a directory of a repository that you can see at a branch, tag or commit, with the last commit of each entry (null while a long history is searched); recursive lists all below it, without those.',
  route: 'GET /repos/{owner}/{name}/tree/{ref}',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Ref,
    path: Type.Optional(TreePath),
    recursive: Type.Optional(Type.Boolean()),
    ...byPage(sizes),
  }),
  output: ListOf(TreeEntry),
  list: 'page',

  handler: async ({ hearth, git, repo }, { ref, path = '', recursive = false, ...paging }) => {
    const window = windowOf(paging, sizes)
    const directory = treePath(path)
    // The root of a repository without commits is an empty directory.
    if (ref === 'HEAD' && directory === '' && headCommit(hearth, repo) === null)
      return pageOf([], window)
    const commit = await resolveCommit(hearth, repo, ref)
    const entries = await blameInput('path', () =>
      git.tree(repo.store, commit, directory, { recursive, sizes: true }),
    )
    if (entries === null) throw noSuchPath(directory)
    const { items, ...rest } = pageOf(
      entries.slice(window.offset, window.offset + window.limit + 1),
      window,
    )
    const last = recursive
      ? null
      : await lastCommitsOf(hearth, repo.store, commit, directory, PATIENCE_MS)
    return {
      items: items.map((entry) => treeEntryRecord(directory, entry, last?.get(entry.name))),
      ...rest,
    }
  },
})
