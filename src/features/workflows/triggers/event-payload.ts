/** Events in the shape that the dialect's `github.event` has. */
import type { Hearth } from '#core/hearth.ts'
import type { JsonObject } from '#actions'
import { actorOf } from '#features/accounts/index.ts'
import { labelsOf } from '#features/issues/index.ts'
import type { PullRow } from '#features/pulls/index.ts'
import { commitTime, fullNameOf, repoById, type RepoRow } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import type { Oid } from '#git'

const MAX_COMMITS = 20
const MAX_BODY_CHARS = 65_536

export function repositoryPayload(hearth: Hearth, repo: RepoRow): JsonObject {
  const full_name = fullNameOf(hearth.db, repo)
  const url = `${hearth.settings.site_url}/${full_name}`
  return {
    name: repo.name,
    full_name,
    owner: { login: workspaceById(hearth.db, repo.workspace_id)?.slug ?? 'ghost' },
    default_branch: repo.default_branch,
    private: repo.private === 1,
    description: repo.description,
    html_url: url,
    clone_url: `${url}.git`,
  }
}

export const userPayload = (hearth: Hearth, actor_id: string | null): JsonObject => ({
  login: actorOf(hearth, actor_id)?.username ?? 'ghost',
})

export const labelPayloads = (hearth: Hearth, repo: RepoRow, number: number): JsonObject[] =>
  labelsOf(hearth.db, repo.id, number).map((name) => ({ name }))

/** What every event has. */
export const commonPayload = (
  hearth: Hearth,
  repo: RepoRow,
  actor_id: string | null,
): JsonObject => ({
  repository: repositoryPayload(hearth, repo),
  sender: userPayload(hearth, actor_id),
})

export async function pushPayload(
  hearth: Hearth,
  repo: RepoRow,
  push: {
    ref: string
    before: Oid | null
    after: Oid
    created: boolean
    forced: boolean
    actor_id: string | null
  },
): Promise<JsonObject> {
  const log = await hearth.git.log(repo.store, {
    tips: [push.after],
    hide: push.before === null ? [] : [push.before],
    limit: MAX_COMMITS,
  })
  const url = `${hearth.settings.site_url}/${fullNameOf(hearth.db, repo)}`
  const person = ({ name, email }: { name: string; email: string }) => ({ name, email })
  const commits = log.map(
    ({ oid, message, author, committer }): JsonObject => ({
      id: oid,
      message,
      timestamp: commitTime(author.time),
      url: `${url}/commit/${oid}`,
      author: person(author),
      committer: person(committer),
    }),
  )
  return {
    ref: push.ref,
    before: push.before ?? '0'.repeat(push.after.length),
    after: push.after,
    created: push.created,
    deleted: false,
    forced: push.forced,
    compare:
      push.before === null
        ? `${url}/commit/${push.after}`
        : `${url}/compare/${push.before}...${push.after}`,
    head_commit: commits[0] ?? null,
    commits: commits.toReversed(),
    pusher: { name: actorOf(hearth, push.actor_id)?.username ?? 'ghost' },
    ...commonPayload(hearth, repo, push.actor_id),
  }
}

export function pullPayload(
  hearth: Hearth,
  repo: RepoRow,
  pull: PullRow,
  actor_id: string | null,
): JsonObject {
  const repository = repositoryPayload(hearth, repo)
  const fork = pull.fork_id === null ? null : repoById(hearth.db, pull.fork_id)
  const url = `${hearth.settings.site_url}/${fullNameOf(hearth.db, repo)}/pull/${pull.number}`
  const user = userPayload(hearth, pull.author_id)
  return {
    number: pull.number,
    pull_request: {
      id: pull.number,
      labels: labelPayloads(hearth, repo, pull.number),
      number: pull.number,
      title: pull.title,
      body: pull.body.slice(0, MAX_BODY_CHARS),
      state: pull.status === 'open' || pull.status === 'draft' ? 'open' : 'closed',
      draft: pull.status === 'draft',
      merged: pull.status === 'merged',
      merge_commit_sha: pull.merge_commit_sha,
      user,
      html_url: url,
      base: { ref: pull.base_ref, sha: pull.base_sha, repo: repository },
      head: {
        ref: pull.head_ref ?? '',
        sha: pull.head_sha,
        user,
        repo: fork ? { ...repository, full_name: fullNameOf(hearth.db, fork) } : repository,
      },
    },
    ...commonPayload(hearth, repo, actor_id),
  }
}

/** A run that somebody started by hand. */
export const dispatchPayload = (
  hearth: Hearth,
  repo: RepoRow,
  ref: string,
  path: string,
  inputs: Readonly<Record<string, string>>,
  actor_id: string | null,
): JsonObject => ({ inputs, ref, workflow: path, ...commonPayload(hearth, repo, actor_id) })
