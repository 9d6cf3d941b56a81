/**
 * Events that are about no commit: their workflow files and their code are those of the default
 * branch, whatever the event says.
 */
import type { Hearth } from '#core/hearth.ts'
import type { EventRow } from '#core/events.ts'
import type { JsonObject } from '#actions'
import { findPull } from '#features/pulls/index.ts'
import { branchRef, readRef, tagOf, type RepoRow } from '#features/repos/index.ts'
import { issueActions, type NamedEvent } from './event-actions.ts'
import { commonPayload } from './event-payload.ts'
import { mayWrite } from './may-write.ts'
import type { Occasion } from './occasion.ts'
import {
  commentPayload,
  headBranchOf,
  issuePayload,
  pullAsIssue,
  runPayload,
} from './record-payload.ts'
import type { RunEvent } from '../schema.ts'
import { findRun } from '../runs/store-runs.ts'

/** Of the title of a run. */
export const MAX_TITLE_CHARS = 200
/** Runs of `workflow_run` follow each other at most so often. */
const MAX_CHAIN = 3

type About = {
  readonly event: RunEvent
  readonly names: readonly NamedEvent[]
  readonly payload: JsonObject
  readonly title: string
  readonly actor_id: string | null
  readonly isTrusted: boolean
  readonly event_id: string
} & Partial<Pick<Occasion, 'branch' | 'followed' | 'depth' | 'cron' | 'onlyPath'>>

/** Null for a repository without commits. */
export function occasionOnDefaultBranch(
  hearth: Hearth,
  repo: RepoRow,
  about: About,
): Occasion | null {
  const ref = branchRef(repo.default_branch)
  const sha = readRef(hearth.db, repo.id, ref)
  if (sha === null) return null
  return {
    repo,
    ref,
    sha,
    head_sha: sha,
    files_sha: sha,
    before: null,
    branch: null,
    tag: null,
    message: null,
    pull: null,
    needsApproval: false,
    ...about,
    payload: { ...about.payload, ...commonPayload(hearth, repo, about.actor_id) },
    title: about.title.slice(0, MAX_TITLE_CHARS),
  }
}

export function occasionOfIssue(hearth: Hearth, repo: RepoRow, event: EventRow): Occasion | null {
  const number = Number(event.data.number)
  const issue = issuePayload(hearth, repo, number)
  if (!issue) return null
  return occasionOnDefaultBranch(hearth, repo, {
    event: 'issue',
    names: issueActions(event),
    payload: { issue },
    title: `#${number} ${String(issue.title)}`,
    actor_id: event.actor_id,
    isTrusted: mayWrite(hearth, repo, event.actor_id),
    event_id: event.id,
  })
}

export function occasionOfComment(hearth: Hearth, repo: RepoRow, event: EventRow): Occasion | null {
  const number = Number(event.data.number)
  const comment = commentPayload(hearth, repo, String(event.data.comment))
  const pull = findPull(hearth.db, repo.id, number)
  const issue = pull ? pullAsIssue(hearth, repo, pull) : issuePayload(hearth, repo, number)
  if (!comment || !issue) return null
  return occasionOnDefaultBranch(hearth, repo, {
    event: 'comment',
    names: [{ name: 'issue_comment', action: 'created' }],
    payload: { issue, comment },
    title: `Comment on #${number} ${String(issue.title)}`,
    actor_id: event.actor_id,
    isTrusted: mayWrite(hearth, repo, event.actor_id),
    event_id: event.id,
  })
}

/** A branch or tag was deleted. */
export function occasionOfDelete(hearth: Hearth, repo: RepoRow, event: EventRow): Occasion | null {
  const full = String(event.data.ref)
  const tag = tagOf(full)
  const ref = full.replace(/^refs\/(heads|tags)\//, '')
  return occasionOnDefaultBranch(hearth, repo, {
    event: 'push',
    names: [{ name: 'delete', action: null }],
    payload: { ref, ref_type: tag === null ? 'branch' : 'tag', pusher_type: 'user' },
    title: `Delete ${ref}`,
    actor_id: event.actor_id,
    isTrusted: true,
    event_id: event.id,
  })
}

/** A run has ended, which workflows with `workflow_run` follow. */
export function occasionOfRun(hearth: Hearth, repo: RepoRow, event: EventRow): Occasion | null {
  const run = findRun(hearth.db, String(event.data.run_id))
  if (!run || run.depth >= MAX_CHAIN) return null
  return occasionOnDefaultBranch(hearth, repo, {
    event: 'workflow_run',
    names: [{ name: 'workflow_run', action: 'completed' }],
    payload: {
      workflow_run: { ...runPayload(hearth, run), workflow_id: run.workflow_id },
      workflow: { id: run.workflow_id, name: run.name, path: run.path },
    },
    branch: headBranchOf(hearth, run),
    followed: run.name,
    depth: run.depth + 1,
    title: run.title,
    actor_id: run.actor_id,
    isTrusted: true,
    event_id: event.id,
  })
}
