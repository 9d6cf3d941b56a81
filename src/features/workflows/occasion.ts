/** What may start runs: one event of the forge, with the commits and rights that its runs have. */
import type { Hearth } from '#core/hearth.ts'
import type { EventRow } from '#core/events.ts'
import type { EventName, JsonObject } from '#actions'
import { actorOf, userCaller } from '#features/accounts/index.ts'
import { findPull, type PullRow } from '#features/pulls/index.ts'
import {
  branchOf,
  fullNameOf,
  repoById,
  settingsOf,
  tagOf,
  type RepoRow,
} from '#features/repos/index.ts'
import { reaches } from '#core/caller.ts'
import type { Oid } from '#git'
import { pullPayload, pushPayload } from './event-payload.ts'
import { mergeForRun } from './merge-for-run.ts'
import type { RunEvent } from './schema.ts'
import { wasApprovedBefore } from './store-runs.ts'

const MAX_TITLE_CHARS = 200

export type Occasion = {
  readonly repo: RepoRow
  readonly event: RunEvent
  /** The names that the dialect has for it, with the activity: `opened` of `pull_request`. */
  readonly names: readonly { readonly name: EventName; readonly action: string | null }[]
  readonly ref: string
  /** The code that jobs get. */
  readonly sha: Oid
  /** The commit that people see the result at. */
  readonly head_sha: Oid
  /** The commit of the workflow files. */
  readonly files_sha: Oid
  /** What filters by path compare `sha` with; null matches every path. */
  readonly before: Oid | null
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
}

/** Whether the person behind an actor may write; the forge itself may. */
function mayWrite(hearth: Hearth, repo: RepoRow, actor_id: string | null): boolean {
  if (actor_id === null) return true
  const actor = actorOf(hearth, actor_id)
  if (actor.kind === 'workspace') return actor.id === repo.workspace_id
  const person = userCaller(hearth.db, actor.on_behalf_of?.id ?? actor.id)
  if (person === null || person.suspended) return false
  const facts = hearth.facts.repo(fullNameOf(hearth.db, repo), person)
  return reaches(facts?.role ?? null, 'write')
}

const titleOf = (message: string): string =>
  (message.trim().split('\n')[0] ?? '').slice(0, MAX_TITLE_CHARS)

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
    names: [
      { name: 'push', action: null },
      ...(data.created ? [{ name: 'create' as const, action: null }] : []),
    ],
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

/** The activity of a pull request that an event is about; null for one that starts nothing. */
export function pullAction(event: Pick<EventRow, 'type' | 'data'>): string | null {
  if (event.type === 'pull.opened') return 'opened'
  if (event.type === 'pull.ready') return 'ready_for_review'
  if (event.type === 'pull.closed' || event.type === 'pull.merged') return 'closed'
  if (event.type !== 'pull.updated') return null
  const changed = event.data.changed as readonly string[]
  if (changed.includes('head')) return 'synchronize'
  if (changed.includes('status')) return 'reopened'
  if (changed.includes('labels')) return 'labeled'
  return changed.some((name) => ['title', 'body', 'base'].includes(name)) ? 'edited' : null
}

/**
 * A change of a pull request. Its code is the merge of head and base. The workflow files of authors
 * without Write are those of the base, and a person with Write may have to approve.
 */
async function occasionOfPull(
  hearth: Hearth,
  repo: RepoRow,
  event: EventRow,
): Promise<Occasion | null> {
  const action = pullAction(event)
  const pull = findPull(hearth.db, repo.id, Number(event.data.number))
  if (action === null || pull === null || pull.head_sha === null) return null
  const { outside_runs } = settingsOf(repo)
  const isTrusted = mayWrite(hearth, repo, pull.author_id)
  if (!isTrusted && outside_runs === 'never') return null
  const sha =
    action === 'closed'
      ? (pull.merge_commit_sha ?? pull.head_sha)
      : await mergeForRun(hearth, repo.store, pull as PullRow & { head_sha: Oid })
  // Conflicts: there is nothing to test until they are resolved.
  if (sha === null) return null
  return {
    repo,
    event: 'pull_request',
    names: [{ name: 'pull_request', action }],
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
    payload: pullPayload(hearth, repo, pull, action, event.actor_id ?? pull.author_id),
    title: pull.title.slice(0, MAX_TITLE_CHARS),
    event_id: event.id,
  }
}

const isApproved = (hearth: Hearth, repo: RepoRow, pull: PullRow, outside_runs: string): boolean =>
  outside_runs === 'always' ||
  (outside_runs === 'approve_first' && wasApprovedBefore(hearth.db, repo.id, pull.author_id))

/** The occasion of an event; null when it cannot start runs. */
export async function occasionOf(hearth: Hearth, event: EventRow): Promise<Occasion | null> {
  const repo = event.repo_id === null ? null : repoById(hearth.db, event.repo_id)
  if (!repo || repo.parent_id !== null || repo.deleted_at !== null || repo.archived_at !== null)
    return null
  if (!settingsOf(repo).workflows_enabled) return null
  if (event.type === 'git.push') return occasionOfPush(hearth, repo, event)
  return event.type.startsWith('pull.') ? occasionOfPull(hearth, repo, event) : null
}
