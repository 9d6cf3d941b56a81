/** What may start runs: one event of the forge, with the commits and rights that its runs have. */
import type { Hearth } from '#core/hearth.ts'
import type { EventRow } from '#core/events.ts'
import type { JsonObject } from '#actions'
import { findPull, findReview, type PullRow } from '#features/pulls/index.ts'
import {
  branchOf,
  branchRef,
  readRef,
  repoById,
  settingsOf,
  tagOf,
  tagRef,
  type RepoRow,
} from '#features/repos/index.ts'
import type { Oid } from '#git'
import {
  MAX_TITLE_CHARS,
  occasionOfComment,
  occasionOfDelete,
  occasionOfIssue,
  occasionOfRun,
} from './default-branch-occasions.ts'
import { mayWrite } from './may-write.ts'
import { pullActions, releaseActions, type NamedEvent } from './event-actions.ts'
import { commonPayload, pullPayload, pushPayload, userPayload } from './event-payload.ts'
import { mergeForRun } from '../runs/merge-for-run.ts'
import { releasePayload } from './record-payload.ts'
import type { RunEvent } from '../schema.ts'
import { wasApprovedBefore } from '../runs/store-runs.ts'

export type Occasion = {
  readonly repo: RepoRow
  readonly event: RunEvent
  /** The names that the dialect has for it, with the activity: `opened` of `pull_request`. */
  readonly names: readonly NamedEvent[]
  readonly ref: string
  /** The code that jobs get. */
  readonly sha: Oid
  /** The commit that people see the result at. */
  readonly head_sha: Oid
  /** The commit of the workflow files. */
  readonly files_sha: Oid
  /** What filters by path compare `sha` with; null matches every path. */
  readonly before: Oid | null
  /** What `before` is compared with, if it is not `sha`. */
  readonly changed_sha?: Oid
  /** What filters see: the branch (of a pull request its base) or the tag. */
  readonly branch: string | null
  readonly tag: string | null
  /** The message of the head commit, which may ask to skip workflows. */
  readonly message: string | null
  readonly pull: number | null
  readonly actor_id: string | null
  readonly isTrusted: boolean
  readonly needsApproval: boolean
  readonly payload: JsonObject
  /** A line for people, such as the title of the commit. */
  readonly title: string
  readonly event_id: string | null
  /** Of `workflow_run`: the name of the workflow that ran, and how many runs led here. */
  readonly followed?: string
  readonly depth?: number
  /** Of `schedule`: the line that is due. */
  readonly cron?: string
  /** The only workflow that it may start. */
  readonly onlyPath?: string
}

const titleOf = (message: string): string =>
  (message.trim().split('\n')[0] ?? '').slice(0, MAX_TITLE_CHARS)

const createdRef = (full: string): NamedEvent => {
  const tag = tagOf(full)
  const ref = tag ?? branchOf(full) ?? full
  return { name: 'create', action: null, extra: { ref, ref_type: tag === null ? 'branch' : 'tag' } }
}

type PushData = {
  ref: string
  before: Oid | null
  after: Oid | null
  created: boolean
  deleted: boolean
  forced: boolean
}

/** A push of a branch or tag; null for one that deletes, or names no commit. */
async function occasionOfPush(
  hearth: Hearth,
  repo: RepoRow,
  event: EventRow,
): Promise<Occasion | null> {
  const data = event.data as unknown as PushData
  if (data.after === null || !/^refs\/(heads|tags)\//.test(data.ref)) return null
  const sha = await hearth.git.peelToCommit(repo.store, data.after)
  if (sha === null) return null
  const message = (await hearth.git.readCommit(repo.store, sha))?.message ?? ''
  return {
    repo,
    event: 'push',
    names: [{ name: 'push', action: null }, ...(data.created ? [createdRef(data.ref)] : [])],
    ref: data.ref,
    sha,
    head_sha: sha,
    files_sha: sha,
    before: data.before,
    branch: branchOf(data.ref),
    tag: tagOf(data.ref),
    message,
    pull: null,
    actor_id: event.actor_id,
    isTrusted: true,
    needsApproval: false,
    payload: await pushPayload(hearth, repo, { ...data, after: sha, actor_id: event.actor_id }),
    title: titleOf(message) || sha.slice(0, 7),
    event_id: event.id,
  }
}

/**
 * A change or review of a pull request. Its code is the merge of head and base. The workflow files
 * of authors without Write are those of the base, and a person with Write may have to approve.
 */
async function occasionOfPull(
  hearth: Hearth,
  repo: RepoRow,
  event: EventRow,
  names: readonly NamedEvent[],
): Promise<Occasion | null> {
  const pull = findPull(hearth.db, repo.id, Number(event.data.number))
  if (names.length === 0 || pull === null || pull.head_sha === null) return null
  const { outside_runs } = settingsOf(repo)
  const isReview = event.type === 'comment.created'
  const isTrusted =
    mayWrite(hearth, repo, pull.author_id) && (!isReview || mayWrite(hearth, repo, event.actor_id))
  if (!isTrusted && outside_runs === 'never') return null
  const sha =
    names[0]?.action === 'closed'
      ? (pull.merge_commit_sha ?? pull.head_sha)
      : await mergeForRun(hearth, repo.store, pull as PullRow & { head_sha: Oid })
  // Conflicts: there is nothing to test until they are resolved.
  if (sha === null) return null
  return {
    repo,
    event: 'pull_request',
    names,
    ref: `refs/pull/${pull.number}/merge`,
    sha,
    head_sha: pull.head_sha,
    files_sha: isTrusted ? sha : pull.base_sha,
    before: pull.base_sha,
    branch: pull.base_ref,
    tag: null,
    message: (await hearth.git.readCommit(repo.store, pull.head_sha))?.message ?? null,
    pull: pull.number,
    actor_id: event.actor_id ?? pull.author_id,
    isTrusted,
    needsApproval: !isTrusted && !isApproved(hearth, repo, pull, outside_runs),
    payload: payloadOfPull(hearth, repo, pull, event),
    title: pull.title.slice(0, MAX_TITLE_CHARS),
    event_id: event.id,
  }
}

function payloadOfPull(hearth: Hearth, repo: RepoRow, pull: PullRow, event: EventRow): JsonObject {
  const payload = pullPayload(hearth, repo, pull, event.actor_id ?? pull.author_id)
  const { review: id } = event.data
  const review = typeof id === 'string' ? findReview(hearth.db, pull.id, id) : null
  if (!review) return payload
  const { verdict, body, author_id, commit_sha } = review
  const state =
    verdict === 'approve' ? 'approved' : verdict.replace('request_changes', 'changes_requested')
  return {
    ...payload,
    review: {
      id: review.id,
      state,
      body,
      commit_id: commit_sha,
      user: userPayload(hearth, author_id),
    },
  }
}

/**
 * The same change for `pull_request_target`: files and code are those of the base, so they may have
 * secrets whoever the author is.
 */
function occasionOfTarget(hearth: Hearth, repo: RepoRow, event: EventRow): Occasion | null {
  const pull = findPull(hearth.db, repo.id, Number(event.data.number))
  const ref = pull && branchRef(pull.base_ref)
  const base = ref && readRef(hearth.db, repo.id, ref)
  if (!pull || !ref || !base || pull.head_sha === null) return null
  if (settingsOf(repo).outside_runs === 'never' && !mayWrite(hearth, repo, pull.author_id))
    return null
  return {
    repo,
    event: 'pull_request',
    names: pullActions(event, 'pull_request_target'),
    ref,
    sha: base,
    head_sha: pull.head_sha,
    files_sha: base,
    // Filters by path look at what the pull request changes.
    before: pull.base_sha,
    changed_sha: pull.head_sha,
    branch: pull.base_ref,
    tag: null,
    message: null,
    pull: pull.number,
    actor_id: event.actor_id ?? pull.author_id,
    isTrusted: true,
    needsApproval: false,
    payload: pullPayload(hearth, repo, pull, event.actor_id ?? pull.author_id),
    title: pull.title.slice(0, MAX_TITLE_CHARS),
    event_id: event.id,
  }
}

/** A published release runs the files of its tag. */
async function occasionOfRelease(
  hearth: Hearth,
  repo: RepoRow,
  event: EventRow,
): Promise<Occasion | null> {
  const tag = String(event.data.tag_name)
  const ref = tagRef(tag)
  const oid = readRef(hearth.db, repo.id, ref)
  const sha = oid === null ? null : await hearth.git.peelToCommit(repo.store, oid)
  const release = releasePayload(hearth, repo, tag)
  if (sha === null || !release) return null
  return {
    repo,
    event: 'release',
    names: releaseActions(event),
    ref,
    sha,
    head_sha: sha,
    files_sha: sha,
    before: null,
    branch: null,
    tag: null,
    message: null,
    pull: null,
    actor_id: event.actor_id,
    isTrusted: mayWrite(hearth, repo, event.actor_id),
    needsApproval: false,
    payload: { release, ...commonPayload(hearth, repo, event.actor_id) },
    title: String(release.name).slice(0, MAX_TITLE_CHARS),
    event_id: event.id,
  }
}

const isApproved = (hearth: Hearth, repo: RepoRow, pull: PullRow, outside_runs: string): boolean =>
  outside_runs === 'always' ||
  (outside_runs === 'approve_first' && wasApprovedBefore(hearth.db, repo.id, pull.author_id))

/** Whether runs may start in a repository at all. */
export const runsWorkflows = (repo: RepoRow | null): repo is RepoRow =>
  repo !== null &&
  repo.parent_id === null &&
  repo.deleted_at === null &&
  repo.archived_at === null &&
  settingsOf(repo).workflows_enabled

/** The occasions of an event; none when it cannot start runs. */
export async function occasionsOf(hearth: Hearth, event: EventRow): Promise<Occasion[]> {
  const repo = event.repo_id === null ? null : repoById(hearth.db, event.repo_id)
  if (!runsWorkflows(repo)) return []
  const found = await findOccasions(hearth, repo, event)
  return found.filter((one) => one !== null)
}

async function findOccasions(
  hearth: Hearth,
  repo: RepoRow,
  event: EventRow,
): Promise<(Occasion | null)[]> {
  const { type, data } = event
  if (type === 'git.push')
    return data.after === null
      ? [occasionOfDelete(hearth, repo, event)]
      : [await occasionOfPush(hearth, repo, event)]
  if (type.startsWith('pull.'))
    return [
      await occasionOfPull(hearth, repo, event, pullActions(event)),
      occasionOfTarget(hearth, repo, event),
    ]
  if (type.startsWith('issue.')) return [occasionOfIssue(hearth, repo, event)]
  if (type === 'release.published') return [await occasionOfRelease(hearth, repo, event)]
  if (type === 'workflow.completed') return [occasionOfRun(hearth, repo, event)]
  if (type !== 'comment.created') return []
  return data.review === null
    ? [occasionOfComment(hearth, repo, event)]
    : [await occasionOfPull(hearth, repo, event, REVIEWED)]
}

const REVIEWED: readonly NamedEvent[] = [{ name: 'pull_request_review', action: 'submitted' }]
