/**
 * Lands a pull request: builds and verifies the commit first, then moves the base and settles
 * everything that belongs to it in one transaction. Used by `merge_pull` and by the merge queue.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import type { MergeResult, MergeMethod, Oid } from '#git'
import { commitIdentity } from '#features/accounts/index.ts'
import {
  branchRef,
  rulesForbidDeletion,
  moveRefs,
  prepareUpdates,
  readRef,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import type { PullContext } from '../pull-context.ts'
import {
  defaultMessage,
  originTrailers,
  serviceIdentity,
  squashAuthors,
  withTrailers,
} from './merge-message.ts'
import { afterMerge } from '../lifecycle/settle.ts'
import { MAX_RECORDED_COMMITS } from '../lifecycle/settle-after-push.ts'
import {
  listActiveByBase,
  listActiveByBranch,
  requirePull,
  setMerged,
  type PullRow,
} from '../store-pulls.ts'
import { landingProblem } from './verify-landing.ts'

/** The result of building a landing: the commit that the base moves to. */
export type BuiltCommit = Extract<MergeResult, { commit: string }>

/**
 * What to build. The result is verified against `merge_base`, the merge base of `base` and `head`.
 */
export type LandingInput = {
  readonly base: Oid
  readonly head: Oid
  readonly merge_base: Oid | null
  readonly method: MergeMethod
  /** Null for the default message, made from title and description. */
  readonly message: string | null
}

/** The built commit is not what the merge should give. This is a bug, and nothing lands. */
export class WrongLanding extends Error {}

/** The merge method. Throws 422 for a method that the repository does not allow. */
export function mergeMethodFor(
  { settings }: PullContext,
  wanted: MergeMethod | undefined,
): MergeMethod {
  const allowed = settings.merge_methods as MergeMethod[]
  const usual = settings.default_merge_method as MergeMethod
  if (wanted === undefined) return allowed.includes(usual) ? usual : (allowed[0] ?? 'merge')
  if (!allowed.includes(wanted))
    throw invalid(
      'method',
      `this repository does not merge by ${wanted}; it allows ${allowed.join(', ')}`,
    )
  return wanted
}

/**
 * Builds and verifies the commit that lands. Throws 409 `conflicts`, and `WrongLanding` when the
 * result is not right.
 */
export async function buildLanding(
  hearth: Hearth,
  caller: SignedIn,
  context: PullContext,
  pull: PullRow,
  { base, head, merge_base, method, message }: LandingInput,
): Promise<BuiltCommit> {
  const { store } = context.repo
  const trailers = originTrailers(hearth, context.full_name, pull)
  const merger = commitIdentity(hearth, caller)
  const squash =
    method === 'squash'
      ? squashAuthors(
          hearth,
          pull,
          await hearth.git.log(store, { tips: [head], hide: [base], limit: 1_000 }),
        )
      : null
  const landing = await hearth.git.merge(store, {
    method,
    base,
    head,
    trailers,
    message: withTrailers(message ?? defaultMessage(method, pull), [
      ...(squash?.co_authors ?? []),
      ...trailers,
    ]),
    author: squash?.author ?? merger,
    committer: method === 'rebase' ? serviceIdentity(hearth) : merger,
  })
  if ('conflicts' in landing) {
    throw conflict(
      'conflicts',
      `it cannot be merged by ${method}: ${landing.conflicts.slice(0, 5).join(', ')} ${landing.conflicts.length === 1 ? 'conflicts' : 'conflict'}`,
      {
        paths: landing.conflicts.slice(0, 100),
      },
    )
  }
  if (landing.commit === base)
    throw conflict(
      'conflicts',
      `nothing is left of its commits by ${method}: ${pull.base_ref} has their changes already`,
    )
  if (method === 'rebase') await requireSameAsMerge(hearth, store, base, head, landing.tree)
  await requireVerifiedLanding(hearth, context, pull, { base, head, merge_base, ...landing })
  return landing
}

/**
 * Verifies a built commit against its inputs by other means than the merge. Throws `WrongLanding`.
 */
export async function requireVerifiedLanding(
  hearth: Hearth,
  { repo, full_name }: PullContext,
  pull: PullRow,
  built: Omit<LandingInput, 'method' | 'message'> & BuiltCommit,
): Promise<void> {
  const problem = await landingProblem(hearth.git, { store: repo.store, ...built })
  if (problem === null) return
  hearth.log.error('a merge was stopped because its result is wrong', {
    repo: full_name,
    pull: pull.number,
    base: built.base,
    head: built.head,
    result: built.commit,
    problem,
  })
  throw new WrongLanding(`the merge of ${full_name}#${pull.number} was stopped: ${problem}`)
}

/**
 * A rebase leaves out merge commits. When one of them has changes of its own, the result differs
 * from what was reviewed.
 */
async function requireSameAsMerge(
  { git }: Hearth,
  store: string,
  base: string,
  head: string,
  tree: string,
): Promise<void> {
  const merged = await git.previewMerge(store, base, head)
  if ('tree' in merged && merged.tree === tree) return
  throw conflict(
    'conflicts',
    'its commits, replayed one by one, give something else than merging it: a merge commit in it has changes of its own. Use another method',
  )
}

/** What the landing transaction needs from git, read before it. */
export type PreparedLanding = {
  readonly base: Oid
  readonly commit: Oid
  readonly landed: readonly Oid[]
  readonly moves: readonly PreparedUpdate[]
}

/** Reads from git what moving the base needs. */
export async function prepareLanding(
  hearth: Hearth,
  { repo }: PullContext,
  base_ref: string,
  base: Oid,
  commit: Oid,
): Promise<PreparedLanding> {
  const landed = (
    await hearth.git.log(repo.store, { tips: [commit], hide: [base], limit: MAX_RECORDED_COMMITS })
  ).map(({ oid }) => oid)
  return {
    base,
    commit,
    landed,
    moves: await prepareUpdates(hearth, repo, [
      { name: branchRef(base_ref), old: base, new: commit },
    ]),
  }
}

export type LandingOptions = {
  readonly by: SignedIn
  readonly method: MergeMethod
  readonly keep_issue_open: boolean
  readonly checks_ignored?: boolean
}

/**
 * Moves the base and settles the pull request with its issue, siblings and branch. Throws 409
 * `base_moved` when the base moved meanwhile.
 */
export function landPull(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { base, commit, landed, moves }: PreparedLanding,
  { by, method, keep_issue_open, checks_ignored = false }: LandingOptions,
): void {
  const merge = { by: by.id, commit, method }
  // Marked as merged before the base moves. Otherwise the reaction to the push would settle it as
  // pushed by hand.
  setMerged(tx, pull, merge, base)
  moveRefs(tx, context.repo, moves, { mergedHere: true })
  afterMerge(tx, context, requirePull(tx.db, pull.repo_id, pull.number), {
    ...merge,
    landed,
    keep_issue_open,
    checks_ignored,
  })
  deleteBranch(tx, context, pull, by)
}

/** Deletes the merged branch where the settings say so and no other pull request uses it. */
function deleteBranch(tx: Tx, { repo, settings }: PullContext, pull: PullRow, by: SignedIn): void {
  const { branch } = pull
  if (branch === null || !settings.delete_branch_on_merge || branch === repo.default_branch) return
  if (readRef(tx.db, repo.id, branchRef(branch)) !== pull.head_sha) return
  if (
    listActiveByBranch(tx.db, repo.id, branch).length > 0 ||
    listActiveByBase(tx.db, repo.id, branch).length > 0
  )
    return
  const move: PreparedUpdate = {
    name: branchRef(branch),
    old: pull.head_sha,
    new: null,
    peeled: null,
    commits: 0,
    forced: false,
  }
  if (!rulesForbidDeletion(tx.hearth, repo.id, by, move)) moveRefs(tx, repo, [move])
}
