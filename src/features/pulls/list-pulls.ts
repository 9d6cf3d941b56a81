import { readsRepo } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { listActorIds } from '#features/accounts/index.ts'
import { findTeamBySlug } from '#features/teams/index.ts'
import { contextOf } from './pull-context.ts'
import { pullRecords } from './pull-record.ts'
import { Pull, PULL_STATES, type PullState } from './schema.ts'
import { enqueueMissingStats } from './changes/stats.ts'
import { countPulls, listPullRows } from './store-pulls.ts'
import { inPulls } from './untrusted-texts.ts'

/** Ids of the accounts and the team that a name stands for. A secret team is never found. */
function reviewerIds(
  db: Db,
  repo: { workspace: string; workspace_id: string },
  given: string,
): string[] {
  const name = given.trim().replace(/^@/, '')
  const [workspace = '', slug] = name.toLowerCase().split('/')
  const team =
    slug !== undefined && workspace === repo.workspace
      ? findTeamBySlug(db, repo.workspace_id, slug)
      : null
  return [
    ...listActorIds(db, name.includes('/') ? name : name.toLowerCase()),
    ...(team?.visibility === 'visible' ? [team.id] : []),
  ]
}

export const listPulls = operation({
  name: 'list_pulls',
  summary:
    'List the pull requests of a repository, newest first: those in draft and open ones unless state says otherwise (ready: without drafts).',
  keywords: [
    'open pull requests',
    'PRs',
    'merge requests',
    'pull requests to review',
    'my pull requests',
    'waiting for my review',
    'review queue',
  ],
  route: 'GET /v1/repos/{owner}/{name}/pulls',
  toolset: 'pulls',
  aliases: ['list_pull_requests'],
  list: 'page',
  listed: 'default',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(
      OneOf(PULL_STATES, { description: 'open (the default) is draft and ready ones.' }),
    ),
    issue: Type.Optional(RecordNumber),
    author: Type.Optional(
      Type.String({
        maxLength: 120,
        description: 'A username; an agent is <username>/<agent name>.',
      }),
    ),
    branch: Type.Optional(Type.String({ maxLength: 255, description: 'The head branch.' })),
    review_requested: Type.Optional(
      Type.String({
        maxLength: 120,
        description:
          'Who is asked to review: a username, <username>/<agent name>, or <workspace>/<team>.',
      }),
    ),
    ...byPage(),
  }),
  output: ListOf(Pull),
  untrusted: inPulls,

  handler: async (
    { hearth, db, repo },
    { state = 'open', issue, author, branch, review_requested, ...paging },
  ) => {
    const window = windowOf(paging)
    const filter = {
      state: state as PullState,
      issue,
      author: author?.trim().toLowerCase(),
      branch,
      review_requested:
        review_requested === undefined ? undefined : reviewerIds(db, repo, review_requested),
    }
    const rows = listPullRows(db, repo.id, filter, window.limit, window.offset)
    await enqueueMissingStats(hearth, rows)
    const context = contextOf(db, repo.id)
    return pageOf(pullRecords(hearth, rows, context), window, countPulls(db, repo.id, filter))
  },
})
