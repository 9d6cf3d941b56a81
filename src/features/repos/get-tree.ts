import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { commitTime, titleOf } from './commit-records.ts'
import { lastCommitsOf } from './last-commits.ts'
import { blameInput, headCommit, noSuchPath, resolveCommit, treePath } from './resolve.ts'
import { Ref, TreeEntry, TreePath } from './schema.ts'

const sizes = { size: 1000, max: 5000 }

/** So long a listing waits for the last commits of a folder that nobody has asked for before; then it goes out without them. */
const PATIENCE_MS = 5000

export const getTree = operation({
  name: 'get_tree',
  summary: 'List a directory of a repository that you can see at a branch, tag or commit, with the last commit of each entry (null while a long history is searched); recursive lists all below it, without those.',
  route: 'GET /repos/{owner}/{name}/tree/{ref}',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Ref,
    path: Type.Optional(TreePath),
    recursive: Type.Optional(Type.Boolean()),
    sizes: Type.Optional(Type.Boolean({ description: 'Whether the sizes of files are wanted; true unless given.' })),
    last_commits: Type.Optional(Type.Boolean({ description: 'Whether the last commits are wanted; true unless given.' })),
    ...byPage(sizes),
  }),
  output: ListOf(TreeEntry),
  list: 'page',

  handler: async ({ hearth, git, repo }, { ref, path = '', recursive = false, sizes: sized = true, last_commits = true, ...paging }) => {
    const window = windowOf(paging, sizes)
    const directory = treePath(path)
    // The root of a repository without commits is an empty directory.
    if (ref === 'HEAD' && directory === '' && headCommit(hearth, repo) === null) return pageOf([], window)
    const commit = await resolveCommit(hearth, repo, ref)
    const entries = await blameInput('path', () => git.tree(repo.store, commit, directory, { recursive, sizes: sized }))
    if (entries === null) throw noSuchPath(directory)
    const { items, ...rest } = pageOf(entries.slice(window.offset, window.offset + window.limit + 1), window)
    const last = recursive || !last_commits ? null : await lastCommitsOf(git, repo.store, commit, directory, PATIENCE_MS)
    return {
      items: items.map((entry) => {
        const changed = last?.get(entry.name)
        return {
          path: directory === '' ? entry.path : `${directory}/${entry.path}`,
          name: entry.name,
          type: entry.type,
          mode: entry.mode,
          sha: entry.oid,
          size: entry.size,
          last_commit: changed ? { sha: changed.oid, title: titleOf(changed.message), date: commitTime(changed.committer.time) } : null,
        }
      }),
      ...rest,
    }
  },
})
