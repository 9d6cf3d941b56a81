import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { commitRecords, diffCommits } from '#features/repos/index.ts'
import { Compare, TreePath } from '#features/repos/schema.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { requireBase, requireFork, requireForkBranch } from './fork.ts'
import { BranchName } from './schema.ts'

export const compareAdvisoryFork = operation({
  name: 'compare_advisory_fork',
  summary:
    'Compare a branch of the private fork of an advisory with its base branch: the commits that the base lacks, and what they change. For Admins, security managers and people who are invited to the advisory.',
  keywords: ['diff of a private fix', 'review an embargoed fix'],
  route: 'GET /repos/{owner}/{name}/security/advisories/{id}/fork/compare/{branch}',
  toolset: 'security',
  access: readsRepoAs('read', {
    scope: 'code:read',
    person: true,
    securityManager: true,
    advisoryWork: true,
  }),
  input: Type.Object({
    repo: RepoPath,
    id: AdvisoryId,
    branch: BranchName,
    path: Type.Optional(TreePath),
    ignore_whitespace: Type.Optional(Type.Boolean()),
    ...byPage(),
  }),
  output: Compare,

  handler: async (
    { hearth, db, git, repo },
    { id, branch, path, ignore_whitespace, ...paging },
  ) => {
    const fork = requireFork(db, repo, id)
    const base_sha = requireBase(db, fork)
    const head_sha = requireForkBranch(db, fork, branch)
    const window = windowOf(paging)
    const { store } = fork
    const { ahead, behind, mergeBase } = await git.countAheadBehind(store, head_sha, base_sha)
    const commits = await git.log(store, {
      tips: [head_sha],
      hide: [base_sha],
      skip: window.offset,
      limit: window.limit + 1,
    })
    const changes = await diffCommits({ git }, store, mergeBase, head_sha, {
      ...(path && { path }),
      skip: window.offset,
      limit: window.limit,
      ...(ignore_whitespace !== undefined && { ignoreWhitespace: ignore_whitespace }),
    })
    return {
      base_sha,
      head_sha,
      merge_base_sha: mergeBase,
      ahead,
      behind,
      commits: commitRecords(hearth, repo, commits.slice(0, window.limit)),
      files: changes.files,
      totals: changes.totals,
      truncated: changes.truncated || commits.length > window.limit,
    }
  },
})
