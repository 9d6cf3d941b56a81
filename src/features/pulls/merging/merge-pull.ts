/**
 * Merges a pull request. First the result is built on the present base and verified
 * (`verify-landing.ts`). Then one transaction moves the base, settles the pull request, its issue
 * and its siblings, and appends the events. The transaction moves the base only if it is still the
 * commit that the result was built on. Of two simultaneous merges one succeeds, and the other is
 * refused with `base_moved`. A crash leaves either everything or only unreachable objects.
 */
import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import type { MergeMethod, Oid } from '#git'
import { manyLines, notBlank, refuseSecrets } from '#features/issues/index.ts'
import { branchRef, readRef } from '#features/repos/index.ts'
import type { Hearth } from '#core/hearth.ts'
import { conflict, type Refusal } from '#lib/errors.ts'
import { contextFor, contextOf, subjectOf, type PullContext } from '../pull-context.ts'
import { pullMergeRequested } from '../events.ts'
import { onPull } from '../inputs.ts'
import { buildLanding, landPull, mergeMethodFor, prepareLanding } from './land-pull.ts'
import {
  mergeAttempts,
  mergeQueues,
  type MergeOptions,
  type MergeQueue,
} from '../extension-points.ts'
import { loadEvaluation } from '../pull-facts.ts'
import { currentBlockers, pullRecord } from '../pull-record.ts'
import { MERGE_METHODS, Pull, type Blocker } from '../schema.ts'
import { freshStats } from '../changes/stats.ts'
import { requirePull, type PullRow } from '../store-pulls.ts'
import { inPull } from '../untrusted-texts.ts'

export const mergePull = operation({
  name: 'merge_pull',
  summary:
    'Merge an open pull request into its base and resolve its issue (unless keep_issue_open). Members of the workspace with write. 409 says what stands against it; blockers of get_pull lists all of that.',
  keywords: [
    'merge a pull request',
    'land a change',
    'squash and merge',
    'rebase and merge',
    'accept a pull request',
    'ship it',
    'merge to main',
  ],
  route: 'POST /v1/repos/{owner}/{name}/pulls/{number}/merge',
  toolset: 'pulls',
  aliases: ['merge_pull_request'],
  annotations: { destructive: true },
  listed: 'core',
  access: writesRepo('write', { scope: 'pulls:merge', member: 'member' }),
  input: Type.Object({
    ...onPull,
    method: Type.Optional(
      OneOf(MERGE_METHODS, { description: `The repository's default unless given.` }),
    ),
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'The message of the merge or squash commit.',
      }),
    ),
    expected_head: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{7,40}$',
        description: 'Merge only if this is still its head.',
      }),
    ),
    keep_issue_open: Type.Optional(
      Type.Boolean({
        description: 'Leave its issue, and other pull requests for it, as they are.',
      }),
    ),
    ignore_checks: Type.Optional(
      Type.Boolean({ description: 'Merge with failed checks, where the repository allows that.' }),
    ),
  }),
  output: Pull,
  untrusted: inPull,

  handler: async (
    { hearth, db, repo, caller, write },
    { number, message, expected_head, keep_issue_open = false, ignore_checks = false, ...given },
  ) => {
    // The base is read once, here. Everything below uses this commit.
    const pull = withCurrentBase(hearth, requirePull(db, repo.id, number))
    requireHead(pull, expected_head)
    const context = contextFor(hearth, contextOf(db, repo.id), pull.base_ref, { pull, by: caller })
    const queue = queueFor(hearth, context, pull)
    // A pull request that is queued already stays queued as it is.
    if (queue?.positionsOf(db, repo.id, [number]).has(number))
      return pullRecord(hearth, pull, contextOf(db, repo.id))
    const stats = pull.status === 'open' ? await freshStats(hearth, pull) : null
    const evaluation = loadEvaluation(hearth, { pull, context, stats }, caller)
    const ignored = ({ code }: Blocker, { settings }: PullContext): boolean =>
      code === 'checks_failed' && ignore_checks && settings.allow_ignoring_checks
    const blockers = currentBlockers(hearth, evaluation).filter((one) => !ignored(one, context))
    if (blockers.length > 0 && pull.status === 'open')
      await write((tx) =>
        mergeAttempts.all(hearth).forEach((record) => record(tx, evaluation, null)),
      )
    refuseBlocked(blockers)
    if (!stats) throw conflict('not_ready', 'nothing has been pushed yet')
    const method = mergeMethodFor(context, given.method as MergeMethod | undefined)
    if (message !== undefined) refuseSecrets(db, repo.id, 'message', notBlank('message', message))
    const text = message === undefined ? null : manyLines('message', message)
    if (queue) {
      const options = { by: caller, method, message: text, keep_issue_open }
      return write((tx) => addToQueue(tx, queue, pull, options))
    }

    const { base_sha: base, head_sha: head, merge_base_sha: merge_base } = stats
    const landing = await buildLanding(hearth, caller, context, pull, {
      base,
      head,
      merge_base,
      method,
      message: text,
    })
    const ready = await prepareLanding(hearth, context, pull.base_ref, base, landing.commit)

    return write((tx) => {
      const now = requireUnmoved(tx, pull, stats.base_sha)
      const context = contextFor(hearth, contextOf(tx.db, repo.id), now.base_ref, {
        pull: now,
        by: caller,
      })
      if (queueFor(hearth, context, now)) throw queuedNow(now)
      // Approvals, settings and the state may have changed while the landing was built.
      const again = loadEvaluation(hearth, { pull: now, context, stats }, caller)
      const found = currentBlockers(hearth, again)
      refuseBlocked(found.filter((one) => !ignored(one, context)))
      const checks_ignored = found.some((one) => ignored(one, context))
      if (checks_ignored) auditIgnored(tx, context, now, landing.commit)
      for (const record of mergeAttempts.all(hearth)) record(tx, again, landing.commit)
      landPull(tx, context, now, ready, { by: caller, method, keep_issue_open, checks_ignored })
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), contextOf(tx.db, repo.id))
    })
  },
})

/** The present row. Throws 409 when its head or its base moved since the landing was built. */
function requireUnmoved(tx: Tx, before: PullRow, base_sha: Oid): PullRow {
  const now = requirePull(tx.db, before.repo_id, before.number)
  if (now.head_sha !== before.head_sha)
    throw conflict('head_moved', `#${now.number} was pushed to just now; look at it again`, {
      head: now.head_sha,
    })
  if (
    now.base_ref !== before.base_ref ||
    readRef(tx.db, before.repo_id, branchRef(before.base_ref)) !== base_sha
  )
    throw baseMoved(before)
  return now
}

const queueFor = (
  hearth: Hearth,
  context: PullContext,
  { base_ref }: PullRow,
): MergeQueue | undefined =>
  mergeQueues.all(hearth).find((queue) => queue.accepts(hearth, context, base_ref))

/** A merge that ignores failed checks is recorded in the audit log as well as in the timeline. */
const auditIgnored = (
  tx: Tx,
  { repo, full_name }: PullContext,
  pull: PullRow,
  commit: string,
): void =>
  tx.audit({
    action: 'pull.checks_ignored',
    target: { kind: 'pull', id: pull.id, name: `${full_name}#${pull.number}` },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data: { commit, head: pull.head_sha },
  })

/** Adds a pull request to a queue, which checks the blockers again before it lands. */
function addToQueue(tx: Tx, queue: MergeQueue, seen: PullRow, options: MergeOptions): Pull {
  const pull = requirePull(tx.db, seen.repo_id, seen.number)
  if (pull.head_sha !== seen.head_sha || pull.status !== seen.status)
    throw conflict('head_moved', `#${seen.number} changed just now; look at it again`, {
      head: pull.head_sha,
    })
  const context = contextOf(tx.db, seen.repo_id)
  queue.add(tx, context, pull, options)
  // With auto-merge the merge was requested before.
  if (pull.auto_merge === 0)
    tx.append(pullMergeRequested, subjectOf(context), { number: pull.number, issue: pull.issue })
  return pullRecord(tx.hearth, requirePull(tx.db, seen.repo_id, seen.number), context)
}

const queuedNow = ({ base_ref }: PullRow): Refusal =>
  conflict(
    'rule',
    `merging into ${base_ref} goes through a queue since a moment ago; merge again to have it wait there`,
  )

const baseMoved = (pull: PullRow): Refusal =>
  conflict('base_moved', `${pull.base_ref} has moved since this pull request was last updated`, {
    base: pull.base_ref,
  })

/**
 * The present tip of the base. Each push updates `base_sha`; this serves a pull request whose base
 * has never been pushed to.
 */
function withCurrentBase(hearth: Hearth, pull: PullRow): PullRow {
  const tip = readRef(hearth.db, pull.repo_id, branchRef(pull.base_ref))
  if (tip === null && pull.status === 'open')
    throw conflict(
      'base_moved',
      `the base ${pull.base_ref} does not exist any more; choose another with update_pull`,
    )
  return tip === null || tip === pull.base_sha || pull.status === 'merged'
    ? pull
    : { ...pull, base_sha: tip }
}

function requireHead(pull: PullRow, expected: string | undefined): void {
  if (expected === undefined || pull.head_sha?.startsWith(expected)) return
  throw conflict(
    'head_moved',
    `the head of #${pull.number} is ${pull.head_sha ?? 'not there yet'}, not ${expected}`,
    { head: pull.head_sha },
  )
}

/** Refuses with the first blocker; all of them are in the details. */
function refuseBlocked(blockers: readonly Blocker[]): void {
  const [first] = blockers
  if (first) throw conflict(first.code, first.message, { ...first.details, blockers })
}
