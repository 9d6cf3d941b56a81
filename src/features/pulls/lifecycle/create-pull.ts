/**
 * Opens a pull request. With `branch` it is ready for review at once. Without, it is a draft with a
 * fork of its own to push to. A fork is a set of refs over the same objects, so it takes no space.
 */
import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Context } from '#core/operation.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import {
  insertRecord,
  findIssue,
  linkPull,
  manyLines,
  oneLine,
  refuseSecrets,
  requireOpenIssue,
} from '#features/issues/index.ts'
import { branchRef, createFork, readRef, allocateNumber } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { contextOf, subjectOf, type PullContext } from '../pull-context.ts'
import { pullOpened } from '../events.ts'
import { BodyInput, TitleInput } from '../inputs.ts'
import { requireMayContribute, requirePullQuota } from './contribution-limits.ts'
import { pullRecord, remoteOf } from '../pull-record.ts'
import { recordLastPusher } from '../reviews/pushers.ts'
import { requestReviews, codeOwners } from '../reviews/reviewers.ts'
import { requireOwnRepository } from '../permissions.ts'
import { NewPull } from '../schema.ts'
import { updateOpenPulls } from './settle.ts'
import { enqueueStats, computeStats, storeStats } from '../changes/stats.ts'
import { findActiveForBranch, insertPull, requirePull, type PullRow } from '../store-pulls.ts'
import { inNewPull } from '../untrusted-texts.ts'

const Input = Type.Object({
  repo: RepoPath,
  issue: Type.Optional(RecordNumber),
  title: Type.Optional(TitleInput),
  body: Type.Optional(BodyInput),
  agent: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The name of the agent that works on it.',
    }),
  ),
  branch: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A pushed branch of this repository that holds the change. Without it a fork is made to push to.',
    }),
  ),
  base: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The branch to merge into; the default branch unless given.',
    }),
  ),
})

type Input = {
  repo: string
  issue?: number
  title?: string
  body?: string
  agent?: string
  branch?: string
  base?: string
}

export const createPull = operation({
  name: 'create_pull',
  summary:
    'Open a pull request. Without branch a draft with its own fork is made: push to git.remote, branch git.branch. With branch (needs write) it is ready at once. Answers the pull request and where to push.',
  keywords: [
    'open a pull request',
    'new PR',
    'merge request',
    'propose a change',
    'submit a patch',
    'start work on an issue',
    'send my branch for review',
    'fork',
  ],
  route: 'POST /v1/repos/{owner}/{name}/pulls',
  toolset: 'pulls',
  aliases: ['create_pull_request'],
  listed: 'core',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Input,
  output: NewPull,
  untrusted: inNewPull,

  handler: async (context, input) => {
    const { repo, caller, db, hearth } = context
    requireOwnRepository(repo)
    if (input.branch !== undefined) repo.require('write')
    const pullContext = contextOf(db, repo.id)
    requireMayContribute(hearth, repo, caller, pullContext.settings)
    const texts = textsOf(context, input)
    const base = {
      ref: input.base ?? repo.default_branch,
      sha: tipOf(context, 'base', input.base ?? repo.default_branch),
    }
    const head =
      input.branch === undefined
        ? null
        : { ref: input.branch, sha: tipOf(context, 'branch', input.branch) }
    if (head && head.ref === base.ref)
      throw invalid('branch', `branch must differ from the base ${base.ref}`)
    const prepared = head && (await computeStats(hearth, repo, base.sha, head.sha))
    if (head && prepared?.stats.commits === 0)
      throw invalid('branch', `${head.ref} has no commit that ${base.ref} lacks`)
    const owners =
      prepared &&
      (await codeOwners(
        hearth,
        pullContext,
        { base_sha: base.sha, author_id: caller.id },
        (prepared.index?.touches ?? []).map(({ path }) => path),
      ))

    return context.write((tx) => {
      requirePullQuota(hearth, repo, caller, pullContext.settings)
      if (input.issue !== undefined) requireOpenIssue(tx.db, repo.id, input.issue)
      const taken = head && findActiveForBranch(tx.db, repo.id, head.ref, base.ref)
      if (taken)
        throw conflict(
          'already_exists',
          `#${taken.number} is open for ${head.ref} into ${base.ref}`,
          { number: taken.number },
        )
      // Branches may have moved since they were read; the row stores their present commits.
      const now = (place: BranchTip): BranchTip => ({
        ref: place.ref,
        sha: readRef(tx.db, repo.id, branchRef(place.ref)) ?? place.sha,
      })
      const pull = insertNewPull(tx, pullContext, caller, input, {
        ...texts,
        base: now(base),
        head: head && now(head),
      })
      if (prepared && pull.base_sha === base.sha && pull.head_sha === head?.sha)
        storeStats(tx, pull, prepared)
      else enqueueStats(tx, pull)
      if (owners) requestReviews(tx, pull, repo, owners, null)
      return {
        pull: pullRecord(hearth, pull, pullContext),
        git: remoteOf(hearth, pull, pullContext),
      }
    })
  },
})

/** Opens the draft of an issue for the built-in agent, in the transaction that starts it. */
export function openAgentDraft(
  tx: Tx,
  { repo, caller }: { repo: RepoGrant; caller: SignedIn },
  { issue, agent }: { issue: number; agent: string },
): PullRow {
  const { hearth, db } = tx
  const context = contextOf(db, repo.id)
  requireMayContribute(hearth, repo, caller, context.settings)
  requirePullQuota(hearth, repo, caller, context.settings)
  const ref = repo.default_branch
  const sha = readRef(db, repo.id, branchRef(ref))
  if (sha === null)
    throw conflict('not_ready', `${repo.full_name} has no commit yet; push a first one`)
  const row = requireOpenIssue(db, repo.id, issue, 'number')
  const pull = insertNewPull(
    tx,
    context,
    caller,
    { agent, issue },
    {
      title: row.title,
      body: '',
      base: { ref, sha },
      head: null,
    },
  )
  enqueueStats(tx, pull)
  return pull
}

export type BranchTip = { ref: string; sha: Oid }

function textsOf(
  { db, repo }: Context & { repo: RepoGrant },
  { issue, title, body = '' }: Input,
): { title: string; body: string } {
  const ofIssue = issue === undefined ? null : requireOpenIssue(db, repo.id, issue)
  if (title === undefined && !ofIssue)
    throw invalid('title', 'title is required when no issue is given')
  const texts = {
    title: title === undefined ? (ofIssue?.title ?? '') : oneLine('title', title),
    body: manyLines('body', body),
  }
  refuseSecrets(db, repo.id, 'title', texts.title)
  refuseSecrets(db, repo.id, 'body', texts.body)
  return texts
}

function tipOf(
  { db, repo }: Context & { repo: RepoGrant },
  field: 'base' | 'branch',
  branch: string,
): Oid {
  const tip = readRef(db, repo.id, branchRef(branch))
  if (tip === null)
    throw invalid(field, `there is no branch ${JSON.stringify(branch)} in ${repo.full_name}`)
  return tip
}

/** Inserts a pull request, with its fork when it has no branch, and appends its event. */
export function insertNewPull(
  tx: Tx,
  context: PullContext,
  caller: SignedIn,
  input: Pick<Input, 'agent' | 'issue'>,
  row: { title: string; body: string; base: BranchTip; head: BranchTip | null },
) {
  const { repo, settings } = context
  const number = allocateNumber(tx, repo.id)
  insertRecord(tx, {
    repo_id: repo.id,
    number,
    kind: 'pull',
    title: row.title,
    author_id: caller.id,
  })
  const fork = row.head
    ? null
    : createFork(tx, repo, {
        pull_number: number,
        author_id: caller.id,
        head: { ref: branchRef(row.base.ref), oid: row.base.sha },
      })
  const agent =
    input.agent?.trim() ||
    (caller.kind === 'agent' ? caller.username.slice(caller.username.indexOf('/') + 1) : null)
  insertPull(tx, {
    id: typeId('pr', tx.now_ms),
    repo_id: repo.id,
    number,
    title: row.title,
    body: row.body,
    status: row.head ? 'open' : 'draft',
    issue: input.issue ?? null,
    branch: row.head?.ref ?? null,
    fork_id: fork?.id ?? null,
    base_ref: row.base.ref,
    base_sha: row.base.sha,
    head_ref: row.head?.ref ?? null,
    head_sha: row.head?.sha ?? null,
    author_id: caller.id,
    agent,
    auto_merge: settings.auto_merge ? 1 : 0,
  })
  const pull = requirePull(tx.db, repo.id, number)
  recordLastPusher(tx, pull)
  if (input.issue !== undefined && findIssue(tx.db, repo.id, input.issue)) {
    linkPull(tx, {
      repo_id: repo.id,
      issue_number: input.issue,
      pull_number: number,
      status: pull.status,
      agent,
    })
  }
  updateOpenPulls(tx, pull)
  tx.append(pullOpened, subjectOf(context), { number, issue: pull.issue })
  return pull
}
