/** Pull requests as records. Only stored facts are read here; `changes/stats.ts` asks git. */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import type { Actor } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { assigneeRecord } from '#features/issues/index.ts'
import { branchRef, combineStates, readRef } from '#features/repos/index.ts'
import { unapprovedPaths } from './changes/owners.ts'
import { mergeQueues, mergeRules, type MergeEvaluation } from './extension-points.ts'
import { listBlockers, sortBlockers } from './merging/blockers.ts'
import { changedInstructions, unapprovedInstructions } from './merging/person-approval.ts'
import { contextOf, type PullContext } from './pull-context.ts'
import { loadPullFacts, type PullFacts } from './pull-facts.ts'
import { countApprovals } from './reviews/review-standing.ts'
import type { Blocker, Pull, PullRemote } from './schema.ts'
import { isActive, type PullRow } from './store-pulls.ts'

export const pullUrl = (hearth: Hearth, full_name: string, number: number): string =>
  `${hearth.settings.site_url}/${full_name}/pull/${number}`

export const forkName = (full_name: string, number: number): string => `${full_name}/pull/${number}`

/**
 * The remote and branch to push to: its fork, on a branch named like the base, or its branch of the
 * repository.
 */
export function remoteOf(hearth: Hearth, pull: PullRow, { full_name }: PullContext): PullRemote {
  const place = pull.branch === null ? forkName(full_name, pull.number) : full_name
  return {
    remote: `${hearth.settings.site_url}/${place}.git`,
    branch: pull.branch ?? pull.head_ref ?? pull.base_ref,
  }
}

/** The username of who merged it; for an agent, that of its person. */
export const mergedBy = (hearth: Hearth, actor_id: string | null): string | null =>
  actor_id === null ? null : personOf(actorOf(hearth, actor_id))

const personOf = ({ on_behalf_of, username }: Actor): string => on_behalf_of?.username ?? username

/** Everything that keeps a pull request from being merged, from what is known now. */
export function currentBlockers(hearth: Hearth, evaluation: MergeEvaluation): Blocker[] {
  const [blockers] = blockersOfAll(hearth, [evaluation])
  return blockers ?? []
}

function blockersOfAll(hearth: Hearth, evaluations: readonly MergeEvaluation[]): Blocker[][] {
  const byRules = mergeRules.all(hearth).map((rules) => rules(hearth, evaluations))
  return evaluations.map((evaluation, index) => {
    const { pull, context } = evaluation
    // A settled pull request has this blocker alone.
    if (!isActive(pull)) return ownBlockers(hearth, evaluation)
    const own = ownBlockers(hearth, evaluation)
    // A merge queue builds what lands on the base of that moment.
    const isQueued = mergeQueues
      .all(hearth)
      .some((queue) => queue.accepts(hearth, context, pull.base_ref))
    return sortBlockers([
      ...(isQueued ? own.filter(({ code }) => code !== 'base_moved') : own),
      ...byRules.flatMap((blockers) => blockers[index] ?? []),
    ])
  })
}

/** The blockers that need no rules. */
function ownBlockers(hearth: Hearth, evaluation: MergeEvaluation): Blocker[] {
  const { pull, context, stats, standings } = evaluation
  const active = isActive(pull)
  return listBlockers({
    pull,
    stats,
    standings,
    settings: context.settings,
    archived: active && context.repo.archived_at !== null,
    instructions: active ? unapprovedInstructions(hearth, evaluation) : [],
    unapproved: active ? unapprovedPaths(hearth, context, evaluation.owned, standings) : [],
    checks: pull.status === 'open' ? evaluation.checks : null,
    open_conversations: active ? evaluation.open_conversations : 0,
  })
}

export function pullRecord(hearth: Hearth, pull: PullRow, around?: PullContext): Pull {
  const [record] = pullRecords(hearth, [pull], around ?? contextOf(hearth.db, pull.repo_id))
  if (!record) throw new TypeError('one row has one record')
  return record
}

/** The records of a page of pull requests of one repository. */
export function pullRecords(
  hearth: Hearth,
  pulls: readonly PullRow[],
  around: PullContext,
): Pull[] {
  return readScope(hearth.db, () => {
    const facts = loadPullFacts(hearth, around, pulls)
    const blockers = blockersOfAll(
      hearth,
      facts.map(({ evaluation }) => evaluation),
    )
    return facts.map((one, index) => recordOf(hearth, one, blockers[index] ?? []))
  })
}

function recordOf(hearth: Hearth, facts: PullFacts, blockers: Blocker[]): Pull {
  const { evaluation, actor } = facts
  const { pull, context, stats, standings } = evaluation
  const { full_name, settings } = context
  const url = pullUrl(hearth, full_name, pull.number)
  return {
    id: pull.id,
    number: pull.number,
    repo: full_name,
    title: pull.title,
    body: pull.body,
    status: pull.status,
    issue: pull.issue,
    branch: pull.branch,
    fork: forkOf(hearth, pull, context),
    ...commitsOf(hearth, pull),
    merge_base_sha: stats?.merge_base_sha ?? null,
    author: actor(pull.author_id),
    agent: pull.agent,
    revision: pull.revision,
    commits_count: stats?.commits ?? 0,
    changed_files: stats?.files ?? 0,
    additions: stats?.additions ?? 0,
    deletions: stats?.deletions ?? 0,
    comments_count: facts.comments_count,
    labels: [...evaluation.labels],
    assignees: facts.assignee_ids.map((id) => assigneeRecord(actor(id))),
    milestone: facts.milestone,
    requested_reviewers: facts.requested_reviewers,
    approvals: { required: settings.required_approvals, counted: countApprovals(standings) },
    instruction_paths: [...changedInstructions(hearth, pull, stats)],
    checks_status: evaluation.checks?.status ?? 'none',
    statuses_state: combineStates(evaluation.statuses.map(({ state }) => state)),
    mergeable:
      !isActive(pull) || stats === null ? 'unknown' : stats.conflict_paths === null ? 'yes' : 'no',
    blockers,
    auto_merge: pull.auto_merge === 1,
    queue: facts.queue,
    superseded_by: pull.superseded_by,
    merged_by: pull.merged_by === null ? null : personOf(actor(pull.merged_by)),
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

const forkOf = (hearth: Hearth, pull: PullRow, context: PullContext): Pull['fork'] =>
  pull.fork_id === null
    ? null
    : {
        id: pull.fork_id,
        full_name: forkName(context.full_name, pull.number),
        remote: remoteOf(hearth, pull, context).remote,
      }

/** The present base and head; the head is null before the first push. */
const commitsOf = ({ db }: Hearth, pull: PullRow): Pick<Pull, 'base' | 'head'> => ({
  base: {
    ref: pull.base_ref,
    sha: readRef(db, pull.repo_id, branchRef(pull.base_ref)) ?? pull.base_sha,
  },
  head:
    pull.head_sha === null || pull.head_ref === null
      ? null
      : { ref: pull.head_ref, sha: pull.head_sha },
})
