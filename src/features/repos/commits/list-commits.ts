import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { parseTimestamp } from '#lib/time.ts'
import { commitRecords } from './commit-records.ts'
import { readHistory } from './history-cache.ts'
import { refuseBadInput, headCommit, resolveCommit, parseTreePath } from '../refs/resolve-commit.ts'
import { CommitRecord, Ref, TreePath } from '../schema.ts'

function parseSeconds(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseTimestamp(text) ?? parseTimestamp(`${text}T00:00:00Z`)
  if (time === null) throw invalid(field, `${field} must be a time such as 2026-01-31T23:59:59Z`)
  return Math.floor(Date.parse(time) / 1000)
}

export const listCommits = operation({
  name: 'list_commits',
  summary:
    'List commits of a repository that you can see, newest first, from a branch, tag or commit (ref; the default branch unless given). Narrow by path, author and time.',
  keywords: [
    'history',
    'log',
    'git log',
    'recent commits',
    'commits of a file',
    'file history',
    'who committed',
  ],
  route: 'GET /repos/{owner}/{name}/commits',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Type.Optional(Ref),
    path: Type.Optional(TreePath),
    author: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: `Text in the author's name or address.`,
      }),
    ),
    since: Type.Optional(
      Type.String({ maxLength: 40, description: 'Only commits of this time or later.' }),
    ),
    until: Type.Optional(
      Type.String({ maxLength: 40, description: 'Only commits of this time or earlier.' }),
    ),
    ...byPage(),
  }),
  output: ListOf(CommitRecord),
  list: 'page',

  handler: async ({ hearth, repo }, { ref, path, author, since, until, ...paging }) => {
    const window = windowOf(paging)
    const tip =
      ref === undefined ? headCommit(hearth, repo) : await resolveCommit(hearth, repo, ref)
    if (tip === null) return pageOf([], window)
    const commits = await refuseBadInput('path', () =>
      readHistory(hearth, repo.store, {
        tips: [tip],
        path: path === undefined ? undefined : parseTreePath(path) || undefined,
        author,
        since: parseSeconds('since', since),
        until: parseSeconds('until', until),
        skip: window.offset,
        limit: window.limit + 1,
      }),
    )
    return pageOf(commitRecords(hearth, repo, commits), window)
  },
})
