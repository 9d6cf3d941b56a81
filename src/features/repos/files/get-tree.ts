import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { findLastCommitsWithin } from '../blame/last-commits.ts'
import {
  refuseBadInput,
  headCommit,
  pathNotFound,
  resolveCommit,
  parseTreePath,
} from '../refs/resolve-commit.ts'
import { Ref, TreeEntry, TreePath } from '../schema.ts'
import { treeEntryRecord } from './tree-record.ts'

const sizes = { size: 1000, max: 5000 }

/**
 * How long a listing waits for the last commits of its entries when they are not cached. After that
 * it is returned without them.
 */
const LAST_COMMITS_TIMEOUT_MS = 5000

export const getTree = operation({
  name: 'get_tree',
  summary:
    'List a directory of a repository that you can see at a branch, tag or commit (the default branch unless given), with the last commit of each entry (null while a long history is searched); recursive lists all below it, without those.',
  keywords: [
    'list files',
    'directory',
    'folder',
    'browse files',
    'ls',
    'file tree',
    'repository structure',
  ],
  route: ['GET /repos/{owner}/{name}/tree/{ref}', 'GET /repos/{owner}/{name}/tree'],
  tool: true,
  toolset: 'code',
  listed: 'core',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Type.Optional(Ref),
    path: Type.Optional(TreePath),
    recursive: Type.Optional(Type.Boolean()),
    ...byPage(sizes),
  }),
  output: ListOf(TreeEntry),
  list: 'page',

  handler: async (
    { hearth, git, repo },
    { ref = 'HEAD', path = '', recursive = false, ...paging },
  ) => {
    const window = windowOf(paging, sizes)
    const directory = parseTreePath(path)
    // The root of a repository without commits is an empty directory.
    if (ref === 'HEAD' && directory === '' && headCommit(hearth, repo) === null)
      return pageOf([], window)
    const commit = await resolveCommit(hearth, repo, ref)
    const entries = await refuseBadInput('path', () =>
      git.listTree(repo.store, commit, directory, {
        recursive,
        sizes: true,
        offset: window.offset,
        limit: window.limit + 1,
      }),
    )
    if (entries === null) throw pathNotFound(directory)
    const { items, ...rest } = pageOf([...entries], window)
    const last = recursive
      ? null
      : await findLastCommitsWithin(hearth, repo.store, commit, directory, LAST_COMMITS_TIMEOUT_MS)
    return {
      items: items.map((entry) => treeEntryRecord(directory, entry, last?.get(entry.name))),
      ...rest,
    }
  },
})
