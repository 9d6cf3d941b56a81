/** Pull requests as records. Only what is kept is read here; git is asked in `stats.ts`. */
import type { Hearth } from '#core/hearth.ts'
import { look } from '#core/look.ts'
import { actorOf, keepActors, keepUsers } from '#features/accounts/index.ts'
import { checksStatus, currentRun, keepCurrent } from '#features/checks/index.ts'
import {
  assigneesOf,
  commentsCount,
  countUnresolved,
  keepAssignees,
  keepLabels,
  keepRecords,
  labelsOf,
} from '#features/issues/index.ts'
import {
  branchRef,
  combinedState,
  contextsOf,
  keepContexts,
  keepRoles,
  readRef,
} from '#features/repos/index.ts'
import { blockersOf, inOrder } from './blockers.ts'
import { contextFor, contextOf, type PullContext } from './context.ts'
import { landingPlaces, mergeRules, pagesOfPulls, type MergeQuestion } from './points.ts'
import { unapproved } from './owners.ts'
import { requestedReviewers } from './reviewers.ts'
import { principalOf } from './rights.ts'
import type { Blocker, Pull, PullRemote } from './schema.ts'
import { countApprovals, standingsOf } from './standing.ts'
import { isActive, type PullRow } from './store.ts'
import { listOwned } from './store-owners.ts'
import { keepRequests } from './store-requests.ts'
import { keepReviews } from './store-reviews.ts'
import { findStats, keepStatsOf } from './store-stats.ts'

export const pullUrl = (hearth: Hearth, full_name: string, number: number): string =>
  `${hearth.settings.site_url}/${full_name}/pull/${number}`

export const forkName = (full_name: string, number: number): string => `${full_name}/pull/${number}`

/**
 * Where commits for it are pushed: its fork, on a branch named like the base, or its branch of the
 * repository.
 */
export function remoteOf(hearth: Hearth, pull: PullRow, { full_name }: PullContext): PullRemote {
  const place = pull.branch === null ? forkName(full_name, pull.number) : full_name
  return {
    remote: `${hearth.settings.site_url}/${place}.git`,
    branch: pull.branch ?? pull.head_ref ?? pull.base_ref,
  }
}

/** The username behind a merge; for an agent's, that of the person it acts for. */
export function mergedBy(hearth: Hearth, actor_id: string | null): string | null {
  const actor = actorOf(hearth, actor_id)
  return actor && (actor.on_behalf_of?.username ?? actor.username)
}

/**
 * Everything that keeps it from being merged, from what is known now; the context is that of its
 * base (`contextFor`).
 */
export function currentBlockers(hearth: Hearth, question: MergeQuestion): Blocker[] {
  const { pull, context, stats, standings } = question
  // Nothing else is said of one that is over.
  if (!isActive(pull))
    return blockersOf({
      pull,
      stats,
      standings,
      settings: context.settings,
      archived: false,
      unapproved: [],
      checks: null,
      open_conversations: 0,
    })
  const own = blockersOf({
    pull,
    stats,
    standings,
    settings: context.settings,
    archived: context.repo.archived_at !== null,
    unapproved:
      context.settings.require_code_owner_review && stats
        ? unapproved(hearth, context, listOwned(hearth.db, pull.id, stats), standings)
        : [],
    checks: pull.status === 'open' ? currentRun(hearth, pull) : null,
    open_conversations: context.settings.require_conversation_resolution
      ? countUnresolved(hearth.db, pull.repo_id, pull.number)
      : 0,
  })
  // What lands through another place is built on the base of that moment.
  const waits = landingPlaces
    .all(hearth)
    .some((place) => place.takes(hearth, context, pull.base_ref))
  const against = waits ? own.filter(({ code }) => code !== 'base_moved') : own
  return inOrder([...against, ...mergeRules.all(hearth).flatMap((rule) => rule(hearth, question))])
}

function placeOf(hearth: Hearth, pull: PullRow) {
  for (const place of landingPlaces.all(hearth)) {
    const found = place.placeOf(hearth.db, pull)
    if (found) return found
  }
  return null
}

export const pullRecord = (hearth: Hearth, pull: PullRow, around?: PullContext): Pull =>
  look(hearth.db, () => recordOf(hearth, pull, around ?? contextOf(hearth.db, pull.repo_id)))

/**
 * A page of pull requests of one repository: what they show is asked for once, however many they
 * are.
 */
export function pullRecords(
  hearth: Hearth,
  pulls: readonly PullRow[],
  around: PullContext,
): Pull[] {
  return look(hearth.db, () => {
    gather(hearth, around, pulls)
    return pulls.map((pull) => recordOf(hearth, pull, around))
  })
}

function gather(hearth: Hearth, { repo }: PullContext, pulls: readonly PullRow[]): void {
  if (pulls.length < 2) return
  const { db } = hearth
  const ids = pulls.map(({ id }) => id)
  const numbers = pulls.map(({ number }) => number)
  const heads = pulls.flatMap(({ number, head_sha }) =>
    head_sha === null ? [] : [{ number, head_sha }],
  )
  keepStatsOf(db, ids)
  keepRecords(db, repo.id, numbers)
  keepLabels(db, repo.id, numbers)
  keepCurrent(db, repo.id, heads)
  keepContexts(hearth, repo.id, [...new Set(heads.map(({ head_sha }) => head_sha))])
  for (const keep of pagesOfPulls.all(hearth)) keep(db, repo.id, pulls)
  const reviewers = keepReviews(db, ids)
  const others = [
    ...keepAssignees(db, repo.id, numbers),
    ...keepRequests(db, ids),
    ...pulls.flatMap(({ author_id, merged_by }) => [author_id, merged_by]),
  ]
  keepActors(db, [...new Set([...reviewers, ...others].filter((id) => id !== null))])
  // What an approval is worth depends on its author's role, for an agent on that of its person.
  const people = [...new Set(reviewers.map((id) => principalOf(actorOf(hearth, id))))]
  keepUsers(db, people)
  keepRoles(db, repo.id, people)
}

function recordOf(hearth: Hearth, pull: PullRow, around: PullContext): Pull {
  const { db } = hearth
  const context = contextFor(hearth, around, pull.base_ref, { pull })
  const { full_name, settings } = context
  const stats = findStats(db, pull)
  const standings = standingsOf(hearth, pull, context, stats)
  const url = pullUrl(hearth, full_name, pull.number)
  const fork =
    pull.fork_id === null
      ? null
      : {
          id: pull.fork_id,
          full_name: forkName(full_name, pull.number),
          remote: remoteOf(hearth, pull, context).remote,
        }
  return {
    id: pull.id,
    number: pull.number,
    repo: full_name,
    title: pull.title,
    body: pull.body,
    status: pull.status,
    issue: pull.issue,
    branch: pull.branch,
    fork,
    base: {
      ref: pull.base_ref,
      sha: readRef(db, pull.repo_id, branchRef(pull.base_ref)) ?? pull.base_sha,
    },
    head:
      pull.head_sha === null || pull.head_ref === null
        ? null
        : { ref: pull.head_ref, sha: pull.head_sha },
    merge_base_sha: stats?.merge_base_sha ?? null,
    author: actorOf(hearth, pull.author_id),
    agent: pull.agent,
    revision: pull.revision,
    commits_count: stats?.commits ?? 0,
    changed_files: stats?.files ?? 0,
    additions: stats?.additions ?? 0,
    deletions: stats?.deletions ?? 0,
    comments_count: commentsCount(db, pull.repo_id, pull.number),
    labels: labelsOf(db, pull.repo_id, pull.number),
    assignees: assigneesOf(hearth, pull.repo_id, pull.number),
    requested_reviewers: requestedReviewers(hearth, pull),
    approvals: { required: settings.required_approvals, counted: countApprovals(standings) },
    checks_status: checksStatus(hearth, pull),
    statuses_state:
      pull.head_sha === null
        ? 'none'
        : combinedState(contextsOf(hearth, pull.repo_id, pull.head_sha).map(({ state }) => state)),
    mergeable:
      !isActive(pull) || stats === null ? 'unknown' : stats.conflict_paths === null ? 'yes' : 'no',
    blockers: currentBlockers(hearth, { pull, context, stats, standings, by: null }),
    auto_merge: pull.auto_merge === 1,
    queue: placeOf(hearth, pull),
    superseded_by: pull.superseded_by,
    merged_by: mergedBy(hearth, pull.merged_by),
    merge_commit_sha: pull.merge_commit_sha,
    merge_method: pull.merge_method,
    session: {
      entries: pull.session_entries,
      last_seq: pull.session_entries,
      last_at: pull.session_last_at,
      cost_usd: pull.session_cost,
    },
    html_url: url,
    diff_url: `${url}.diff`,
    patch_url: `${url}.patch`,
    created_at: pull.created_at,
    updated_at: pull.updated_at,
    ready_at: pull.ready_at,
    merged_at: pull.merged_at,
    closed_at: pull.closed_at,
  }
}
