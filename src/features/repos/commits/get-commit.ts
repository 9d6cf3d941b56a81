import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { byPage, windowOf } from '#core/page.ts'
import { diffInputs, diffCommits } from './diff-records.ts'
import { commitRecord } from './commit-records.ts'
import { refuseBadInput, resolveCommit, parseTreePath } from '../refs/resolve-commit.ts'
import { CommitDetail, Ref, TreePath } from '../schema.ts'
import { notFound } from '#lib/errors.ts'

/** Files per page. */
const PAGE_SIZES = { size: 300, max: 300 }

export const getCommit = operation({
  name: 'get_commit',
  summary:
    'Get one commit of a repository that you can see, by id, branch or tag, with the files that it changed against its first parent. patch=false leaves out the text of the changes.',
  keywords: ['show a commit', 'what did a commit change', 'git show', 'details of a commit'],
  route: 'GET /repos/{owner}/{name}/commits/{ref}',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Ref,
    patch: Type.Optional(
      Type.Boolean({
        description: 'Whether the text of the changes is wanted; true unless given.',
      }),
    ),
    path: Type.Optional(TreePath),
    ...diffInputs,
    ...byPage(PAGE_SIZES),
  }),
  output: CommitDetail,

  handler: async (
    { hearth, git, repo },
    { ref, patch = true, path, context, ignore_whitespace, ...paging },
  ) => {
    const window = windowOf(paging, PAGE_SIZES)
    const oid = await resolveCommit(hearth, repo, ref)
    const commit = await git.readCommit(repo.store, oid)
    if (!commit) throw notFound(`the commit ${oid}`)
    const { files, totals, truncated } = await refuseBadInput('ref', () =>
      diffCommits({ git }, repo.store, commit.parents[0] ?? null, oid, {
        text: patch,
        path: (path && parseTreePath(path)) || undefined,
        skip: window.offset,
        limit: window.limit,
        context,
        ignoreWhitespace: ignore_whitespace,
      }),
    )
    return { ...commitRecord(hearth, repo, commit, totals), files, truncated }
  },
})
