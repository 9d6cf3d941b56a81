import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { blameOf } from './blame-cache.ts'
import { commitTime, peopleOf, titleOf } from './commit-records.ts'
import { blameInput, noSuchPath, resolveCommit, treePath } from './resolve.ts'
import { BlameRecord, Ref, TreePath } from './schema.ts'
import { pullsOfCommits } from './store-pulls.ts'

export const getBlame = operation({
  name: 'get_blame',
  summary: 'Say for the lines of a file which commit last changed them, and with which pull request. For everyone who can see the repository.',
  route: 'GET /repos/{owner}/{name}/blame/{path}',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    path: TreePath,
    ref: Type.Optional(Ref),
    from_line: Type.Optional(Type.Integer({ minimum: 1 })),
    to_line: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  output: Type.Array(BlameRecord),

  handler: async ({ hearth, git, repo }, { ref, from_line, to_line, ...input }) => {
    if (from_line !== undefined && to_line !== undefined && to_line < from_line) throw invalid('to_line', 'to_line must not be before from_line')
    const path = treePath(input.path)
    const commit = await resolveCommit(hearth, repo, ref ?? 'HEAD')
    const entry = path === '' ? null : await blameInput('path', () => git.entry(repo.store, commit, path))
    if (!entry && path !== '') throw noSuchPath(path)
    if (!entry || entry.type === 'dir' || entry.type === 'submodule') throw invalid('path', `${path || '/'} is not a file`)
    const range = from_line === undefined && to_line === undefined ? undefined : { from: from_line ?? 1, to: to_line ?? Number.MAX_SAFE_INTEGER }
    const ranges = await blameInput('path', () => blameOf(git, repo.store, commit, path, range))
    const pulls = pullsOfCommits(hearth.db, repo.id, [...new Set(ranges.map((part) => part.commit.oid))])
    const people = peopleOf(hearth)
    return ranges.map((part) => ({
      from_line: part.from_line,
      to_line: part.to_line,
      commit: { sha: part.commit.oid, title: titleOf(part.commit.message), author: people(part.commit.author), date: commitTime(part.commit.committer.time) },
      pull: pulls.get(part.commit.oid)?.number ?? null,
      session: pulls.get(part.commit.oid)?.session ?? false,
    }))
  },
})
