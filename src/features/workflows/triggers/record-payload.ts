/** Issues, comments, releases and runs in the shape that the dialect's `github.event` has. */
import type { Hearth } from '#core/hearth.ts'
import type { JsonObject } from '#actions'
import { assigneesOf, findComment, findIssue } from '#features/issues/index.ts'
import { findPull, type PullRow } from '#features/pulls/index.ts'
import { findReleaseByTag } from '#features/releases/index.ts'
import { branchOf, fullNameOf, type RepoRow } from '#features/repos/index.ts'
import { labelPayloads, userPayload } from './event-payload.ts'
import { runUrl } from '../records.ts'
import type { RunRow } from '../runs/store-runs.ts'

const MAX_BODY_CHARS = 65_536

const urlOf = (hearth: Hearth, repo: RepoRow, path: string): string =>
  `${hearth.settings.site_url}/${fullNameOf(hearth.db, repo)}/${path}`

/** Null when the issue is gone. */
export function issuePayload(hearth: Hearth, repo: RepoRow, number: number): JsonObject | null {
  const issue = findIssue(hearth.db, repo.id, number)
  if (!issue) return null
  return {
    number,
    title: issue.title,
    body: issue.body.slice(0, MAX_BODY_CHARS),
    state: issue.closed_at === null ? 'open' : 'closed',
    state_reason: issue.reason,
    user: userPayload(hearth, issue.author_id),
    labels: labelPayloads(hearth, repo, number),
    assignees: assigneesOf(hearth, repo.id, number).map(({ username }) => ({ login: username })),
    html_url: urlOf(hearth, repo, `issues/${number}`),
  }
}

/** A pull request as the issue that comments belong to. */
export const pullAsIssue = (hearth: Hearth, repo: RepoRow, pull: PullRow): JsonObject => {
  const html_url = urlOf(hearth, repo, `pull/${pull.number}`)
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body.slice(0, MAX_BODY_CHARS),
    state: pull.status === 'open' || pull.status === 'draft' ? 'open' : 'closed',
    user: userPayload(hearth, pull.author_id),
    labels: labelPayloads(hearth, repo, pull.number),
    html_url,
    pull_request: { html_url },
  }
}

export function commentPayload(hearth: Hearth, repo: RepoRow, id: string): JsonObject | null {
  const comment = findComment(hearth.db, id)
  if (!comment) return null
  const { kind, number, author_id, body, created_at } = comment
  const path = `${kind === 'pull' ? 'pull' : 'issues'}/${number}`
  return {
    id,
    body: body.slice(0, MAX_BODY_CHARS),
    user: userPayload(hearth, author_id),
    created_at,
    html_url: urlOf(hearth, repo, path),
  }
}

export function releasePayload(hearth: Hearth, repo: RepoRow, tag_name: string): JsonObject | null {
  const release = findReleaseByTag(hearth.db, repo.id, tag_name)
  if (!release || release.published_at === null) return null
  return {
    id: release.id,
    tag_name,
    target_commitish: release.target_name,
    name: release.name,
    body: release.body.slice(0, MAX_BODY_CHARS),
    draft: false,
    prerelease: release.prerelease === 1,
    author: userPayload(hearth, release.author_id),
    created_at: release.created_at,
    published_at: release.published_at,
    html_url: urlOf(hearth, repo, `releases/${encodeURIComponent(tag_name)}`),
  }
}

export const runPayload = (hearth: Hearth, run: RunRow): JsonObject => ({
  id: run.seq,
  name: run.name,
  display_title: run.title,
  event: run.event_name,
  status: 'completed',
  conclusion: run.conclusion,
  head_sha: run.head_sha,
  head_branch: headBranchOf(hearth, run),
  run_number: run.number,
  run_attempt: run.attempt,
  path: run.path,
  actor: userPayload(hearth, run.actor_id),
  pull_requests: run.pull === null ? [] : [{ number: run.pull }],
  html_url: runUrl(hearth, run),
})

/** The branch that a run was about; of a pull request its head. */
export function headBranchOf(hearth: Hearth, run: RunRow): string | null {
  if (run.pull === null) return branchOf(run.ref)
  const pull = findPull(hearth.db, run.repo_id, run.pull)
  return pull?.head_ref ?? null
}
