import { readsRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { findUser } from '#features/accounts/index.ts'
import { diffInputs, diffCommits } from './diff-records.ts'
import { commitRecords } from './commit-records.ts'
import { refuseBadInput, resolveCommit, parseTreePath } from '../refs/resolve-commit.ts'
import { Compare, TreePath } from '../schema.ts'
import { findFork, listForks } from '../store/repos.ts'
import { branchRef } from '../refs/ref-names.ts'
import { findRef } from '../store/refs.ts'

type Family = { readonly id: string; readonly store: string; readonly parent_id: string | null }

/**
 * Resolves one side of a comparison. It is a name in the repository, or `<whose>:<branch>` in a
 * fork. `whose` is `pull/<n>`, or the username of the author for that author's newest fork with the
 * branch.
 */
async function resolveSide(hearth: Hearth, repo: Family, side: string): Promise<string> {
  const cut = side.indexOf(':')
  if (cut < 0) return resolveCommit(hearth, repo, side, 'basehead')
  const [whose, branch] = [side.slice(0, cut), side.slice(cut + 1)]
  const number = /^(?:pull\/)?(\d{1,9})$/.exec(whose)?.[1]
  const family = repo.parent_id ?? repo.id
  const person = number === undefined ? findUser(hearth.db, whose) : null
  const forks =
    number !== undefined
      ? [findFork(hearth.db, family, Number(number))]
      : person
        ? listForks(hearth.db, family, person.id)
        : []
  const fork = forks.find((row) => row && findRef(hearth.db, row.id, branchRef(branch)))
  return resolveCommit(hearth, fork ?? repo, fork ? branchRef(branch) : side, 'basehead')
}

export const compareCommits = operation({
  name: 'compare_commits',
  summary:
    'Compare two commits, branches or tags of a repository that you can see, as <base>...<head>: the commits that head has and base lacks, and what they change since they parted.',
  keywords: [
    'diff between branches',
    'difference between two commits',
    'what changed between tags',
    'ahead and behind',
  ],
  route: 'GET /repos/{owner}/{name}/compare/{basehead}',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    basehead: Type.String({
      minLength: 5,
      maxLength: 1000,
      description:
        '<base>...<head>; a side may be pull/<n>:<branch> or <username>:<branch> of a fork.',
    }),
    path: Type.Optional(TreePath),
    direct: Type.Optional(
      Type.Boolean({ description: 'Compare the two as they are, not from where they parted.' }),
    ),
    ...diffInputs,
    ...byPage(),
  }),
  output: Compare,

  handler: async (
    { hearth, git, repo },
    { basehead, path, direct = false, context, ignore_whitespace, ...paging },
  ) => {
    const [base, head, more] = basehead.split('...')
    if (!base || !head || more !== undefined)
      throw invalid('basehead', 'basehead must be <base>...<head>')
    const window = windowOf(paging)
    const base_sha = await resolveSide(hearth, repo, base)
    const head_sha = await resolveSide(hearth, repo, head)
    const only = path === undefined ? undefined : parseTreePath(path) || undefined
    return refuseBadInput('basehead', async () => {
      const { ahead, behind, mergeBase } = await git.countAheadBehind(
        repo.store,
        head_sha,
        base_sha,
      )
      const range = { tips: [head_sha], hide: [base_sha], path: only }
      const commits = await git.log(repo.store, {
        ...range,
        skip: window.offset,
        limit: window.limit + 1,
      })
      const changes = await diffCommits(
        { git },
        repo.store,
        direct ? base_sha : mergeBase,
        head_sha,
        {
          path: only,
          skip: window.offset,
          limit: window.limit,
          context,
          ignoreWhitespace: ignore_whitespace,
        },
      )
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
    })
  },
})
