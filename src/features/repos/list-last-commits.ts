import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Sha, Time, Type } from '#core/schema.ts'
import { commitTime, titleOf } from './commit-records.ts'
import { lastCommitsOf } from './last-commits.ts'
import { blameInput, resolveCommit, treePath } from './resolve.ts'
import { Ref, TreePath } from './schema.ts'

export const listLastCommits = operation({
  name: 'list_last_commits',
  summary: 'The commits that last changed the entries of a folder, by name; null while they are being found. For its page.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, ref: Ref, path: Type.Optional(TreePath), wait_ms: Type.Integer({ minimum: 0, maximum: 20_000 }) }),
  output: Type.Object({ entries: Nullable(Type.Record(Type.String(), Type.Object({ sha: Sha, title: Type.String(), date: Time }), { 'x-free-form': true })) }),

  handler: async ({ hearth, git, repo }, { ref, path = '', wait_ms }) => {
    const commit = await resolveCommit(hearth, repo, ref)
    const found = await blameInput('path', () => lastCommitsOf(git, repo.store, commit, treePath(path), wait_ms))
    const entries = found && Object.fromEntries([...found].map(([name, last]) => [name, { sha: last.oid, title: titleOf(last.message), date: commitTime(last.committer.time) }]))
    return { entries }
  },
})
