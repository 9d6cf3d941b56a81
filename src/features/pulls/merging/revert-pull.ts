/** Reverts a merged pull request by opening a new pull request with the inverse change. */
import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Oid } from '#git'
import { commitIdentity } from '#features/accounts/index.ts'
import { manyLines, oneLine, refuseSecrets } from '#features/issues/index.ts'
import {
  branchRef,
  findPushProblem,
  moveRefs,
  prepareUpdates,
  readRef,
  requireMovesAllowed,
  requireRepo,
} from '#features/repos/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import { contextOf } from '../pull-context.ts'
import { insertNewPull } from '../lifecycle/create-pull.ts'
import { BodyInput, onPull, TitleInput } from '../inputs.ts'
import { pullRecord, remoteOf } from '../pull-record.ts'
import { requestReviews, codeOwners } from '../reviews/reviewers.ts'
import { NewPull } from '../schema.ts'
import { computeStats, storeStats } from '../changes/stats.ts'
import { findActiveForBranch, requirePull, type PullRow } from '../store-pulls.ts'
import { inNewPull } from '../untrusted-texts.ts'

export const revertPull = operation({
  name: 'revert_pull',
  summary:
    'Open a pull request that takes a merged one back, on the branch revert-<number>. Needs write. 409 when later changes conflict with that. Answers the new pull request and where to push.',
  keywords: [
    'undo a merge',
    'roll back',
    'rollback',
    'back out a change',
    'revert a commit',
    'undo a pull request',
    'unmerge',
  ],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/revert',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('write', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    title: Type.Optional(TitleInput),
    body: Type.Optional(BodyInput),
  }),
  output: NewPull,
  status: 201,
  untrusted: inNewPull,

  handler: async ({ hearth, db, repo, caller, write }, { number, ...given }) => {
    const pull = requirePull(db, repo.id, number)
    const { from, to } = await landedRange(hearth, repo.store, pull)
    const context = contextOf(db, repo.id)
    const title = oneLine('title', given.title ?? `Revert “${pull.title}”`.slice(0, 256))
    const body = manyLines('body', given.body ?? `Takes #${number} back.`)
    refuseSecrets(db, repo.id, 'title', given.title ?? '')
    refuseSecrets(db, repo.id, 'body', given.body ?? '')
    const branch = `revert-${number}`
    const base = { ref: pull.base_ref, sha: readRef(db, repo.id, branchRef(pull.base_ref)) }
    if (base.sha === null) throw conflict('not_open', `its base ${pull.base_ref} is gone`)
    const requireFree = () => requireFreeBranch(hearth, repo, branch, base.ref, from)
    requireFree()
    const commit = await buildRevert(hearth, caller, repo, pull, {
      base: { ref: base.ref, sha: base.sha },
      from,
      to,
      message: `${title}\n\nThis takes back ${pull.merge_commit_sha ?? to}.\n`,
    })
    const head = { ref: branch, sha: commit }
    const moves = await prepareUpdates(hearth, repo, [
      { name: branchRef(branch), old: null, new: commit },
    ])
    const guard = await requireMovesAllowed(hearth, repo.id, caller, moves)
    const prepared = await computeStats(hearth, repo, base.sha, commit)
    const owners = await codeOwners(
      hearth,
      context,
      { base_sha: base.sha, author_id: caller.id },
      (prepared.index?.touches ?? []).map(({ path }) => path),
    )
    return write((tx) => {
      requireFree()
      guard(tx)
      moveRefs(tx, repo, moves)
      const now = {
        ref: base.ref,
        sha: readRef(tx.db, repo.id, branchRef(base.ref)) ?? base.sha ?? '',
      }
      const opened = insertNewPull(
        tx,
        context,
        caller,
        { agent: undefined, issue: undefined },
        { title, body, base: now, head },
      )
      storeStats(tx, opened, prepared)
      requestReviews(tx, opened, repo, owners, null)
      return {
        pull: pullRecord(hearth, requirePull(tx.db, repo.id, opened.number), context),
        git: remoteOf(hearth, opened, context),
      }
    })
  },
})

/** Throws 409 when the revert exists already, and 403 when the caller may not create its branch. */
function requireFreeBranch(
  { db }: Hearth,
  repo: RepoGrant,
  branch: string,
  base_ref: string,
  tip: Oid,
): void {
  const active = findActiveForBranch(db, repo.id, branch, base_ref)
  if (active)
    throw conflict('already_exists', `#${active.number} takes it back already`, {
      number: active.number,
    })
  if (readRef(db, repo.id, branchRef(branch)) !== null)
    throw conflict('already_exists', `there is a branch ${branch} already; delete it first`, {
      branch,
    })
  const why = findPushProblem(
    db,
    { row: requireRepo(db, repo.id), can: repo.can },
    { name: branchRef(branch), old: null, new: tip },
  )
  if (why) throw forbidden('role', why)
}

/** Builds the commit that reverts a change on the base. Throws 409 for conflicts. */
async function buildRevert(
  hearth: Hearth,
  caller: SignedIn,
  { store }: RepoGrant,
  { number }: PullRow,
  input: { base: { ref: string; sha: Oid }; from: Oid; to: Oid; message: string },
): Promise<Oid> {
  const { base, from, to, message } = input
  const identity = commitIdentity(hearth, caller)
  const made = await hearth.git.revert(store, {
    base: base.sha,
    from,
    to,
    message,
    author: identity,
    committer: identity,
  })
  if ('conflicts' in made)
    throw conflict(
      'conflicts',
      `later changes of ${base.ref} stand in the way: ${made.conflicts.slice(0, 5).join(', ')}`,
      { conflict_paths: made.conflicts.slice(0, 100) },
    )
  if (made.commit === base.sha)
    throw conflict('not_ready', `nothing of #${number} is left in ${base.ref}`)
  return made.commit
}

/**
 * The commits before and after the merge. For a pull request that was merged by a push, it is the
 * change of its own head, because the push may contain more.
 */
async function landedRange(
  { git }: Hearth,
  store: string,
  pull: PullRow,
): Promise<{ from: Oid; to: Oid }> {
  if (pull.status !== 'merged' || pull.merge_commit_sha === null)
    throw conflict(
      'not_ready',
      `#${pull.number} is ${pull.status}, so there is nothing to take back`,
      { status: pull.status },
    )
  if (pull.merge_method === 'rebase') return { from: pull.base_sha, to: pull.merge_commit_sha }
  const parent =
    pull.merge_method === null
      ? null
      : (await git.readCommit(store, pull.merge_commit_sha))?.parents[0]
  if (parent) return { from: parent, to: pull.merge_commit_sha }
  const head = pull.head_sha ?? pull.merge_commit_sha
  const { mergeBase } = await git.countAheadBehind(store, head, pull.base_sha)
  if (mergeBase === null)
    throw conflict('not_ready', `what #${pull.number} brought cannot be told apart any more`)
  return { from: mergeBase, to: head }
}
