import { readsRepo } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf, type Window } from '#core/page.ts'
import { ListOf, OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { listActorIds } from '#features/accounts/index.ts'
import {
  countListed,
  listRecordNumbers,
  recordFilterInputs,
  resolveRecordFilter,
  type RecordFilter,
} from '#features/issues/index.ts'
import { findTeamBySlug } from '#features/teams/index.ts'
import { isComputed, listComputed } from './computed-filters.ts'
import { contextOf } from './pull-context.ts'
import { pullRecords } from './pull-record.ts'
import { OVERALL_CHECKS, Pull, PULL_STATES, REVIEW_STATES, type PullState } from './schema.ts'
import { enqueueMissingStats } from './changes/stats.ts'
import { pullConditions, pullsByNumber } from './store-pull-list.ts'
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
    'List the pull requests of a repository, newest first; drafts and open ones unless state says otherwise (ready: no drafts).',
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
    base: Type.Optional(Type.String({ maxLength: 255 })),
    review: Type.Optional(
      OneOf(REVIEW_STATES, {
        description: 'By the last verdict of each reviewer, as far as it counts now.',
      }),
    ),
    checks: Type.Optional(OneOf(OVERALL_CHECKS, { description: 'With commit statuses.' })),
    ...recordFilterInputs,
    ...byPage(),
  }),
  output: ListOf(Pull),
  untrusted: inPulls,

  handler: async ({ hearth, db, repo }, { state = 'open', review_requested, ...given }) => {
    const window = windowOf(given)
    const { author, checks, review } = given
    const resolved = resolveRecordFilter(db, repo.id, {
      ...given,
      author: author?.trim().toLowerCase(),
    })
    if (resolved === null) return pageOf<Pull>([], window, 0)
    const filter: RecordFilter = {
      ...resolved,
      kind: 'pull',
      state: RECORD_STATES[state],
      joined: pullConditions({
        ...given,
        state,
        review_requested:
          review_requested === undefined ? undefined : reviewerIds(db, repo, review_requested),
      }),
    }
    const page = isComputed({ checks, review })
      ? await listComputed(hearth, filter, { checks, review }, window)
      : listCounted(db, filter, window)
    const rows = pullsByNumber(db, repo.id, page.numbers)
    await enqueueMissingStats(hearth, rows.slice(0, window.limit))
    const records = pullRecords(hearth, rows.slice(0, window.limit), contextOf(db, repo.id))
    const more = rows.length > window.limit
    return {
      items: records,
      next: more ? String(window.page + 1) : null,
      ...(page.total === undefined ? {} : { total: page.total }),
    }
  },
})

function listCounted(
  db: Db,
  filter: RecordFilter,
  { limit, offset }: Window,
): { numbers: number[]; total: number | undefined } {
  const total = countListed(db, filter)
  return { numbers: listRecordNumbers(db, filter, limit + 1, offset, total), total }
}

/** Records of drafts and of open pull requests are open, those of the others closed. */
const RECORD_STATES: Record<PullState, RecordFilter['state']> = {
  open: 'open',
  draft: 'open',
  ready: 'open',
  merged: 'closed',
  closed: 'closed',
  all: 'all',
}
