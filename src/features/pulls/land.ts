/**
 * Landing a pull request: what lands is built and looked at first, then one transaction moves the
 * base and settles everything that belongs to it. For merging at once and for places that land
 * later alike.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import type { Landing, MergeMethod, Oid } from '#git'
import { commitIdentity } from '#features/accounts/index.ts'
import {
  branchRef,
  keepsBranch,
  moveRefs,
  prepareUpdates,
  readRef,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import type { PullContext } from './context.ts'
import {
  defaultMessage,
  originTrailers,
  serviceIdentity,
  squashAuthors,
  withTrailers,
} from './merge-message.ts'
import { afterMerge } from './settle.ts'
import { MOST_LANDED } from './settle-pulls.ts'
import {
  listActiveByBase,
  listActiveByBranch,
  requirePull,
  setMerged,
  type PullRow,
} from './store.ts'
import { landingProblem } from './verify-landing.ts'

/** A commit that was built to become the base. */
export type Built = Extract<Landing, { commit: string }>

/**
 * What a merge is asked to make. `merge_base` is that of base and head, which the result is held
 * against.
 */
export type Building = {
  readonly base: Oid
  readonly head: Oid
  readonly merge_base: Oid | null
  readonly method: MergeMethod
  /** Null for the one that is made from its title and description. */
  readonly message: string | null
}

/** The result of a merge is not what merging should give. A bug: nothing may land. */
export class WrongLanding extends Error {}

/** The method that a merge uses. Gives 422 for one that the repository does not allow. */
export function methodOf({ settings }: PullContext, wanted: MergeMethod | undefined): MergeMethod {
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
 * Builds what lands, and looks at it. Gives 409 `conflicts`; anything wrong with the result is a
 * WrongLanding.
 */
export async function buildLanding(
  hearth: Hearth,
  caller: SignedIn,
  context: PullContext,
  pull: PullRow,
  { base, head, merge_base, method, message }: Building,
): Promise<Built> {
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
  const landing = await hearth.git.land(store, {
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
  await requireRightLanding(hearth, context, pull, { base, head, merge_base, ...landing })
  return landing
}

/**
 * Holds a built commit against what it was built from, by other means than those that made it.
 * Gives a WrongLanding.
 */
export async function requireRightLanding(
  hearth: Hearth,
  { repo, full_name }: PullContext,
  pull: PullRow,
  built: Omit<Building, 'method' | 'message'> & Built,
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
 * Replaying leaves out merge commits. When one of them had a change of its own, the result is not
 * what was reviewed.
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

/** What the transaction needs to have been read from git. */
export type ReadyToLand = {
  readonly base: Oid
  readonly commit: Oid
  readonly landed: readonly Oid[]
  readonly moves: readonly PreparedUpdate[]
}

/** Reads what moving the base from one commit to another amounts to. */
export async function prepareLanding(
  hearth: Hearth,
  { repo }: PullContext,
  base_ref: string,
  base: Oid,
  commit: Oid,
): Promise<ReadyToLand> {
  const landed = (
    await hearth.git.log(repo.store, { tips: [commit], hide: [base], limit: MOST_LANDED })
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

export type LandedAs = {
  readonly by: SignedIn
  readonly method: MergeMethod
  readonly keep_issue_open: boolean
  readonly checks_ignored?: boolean
}

/**
 * Moves the base and settles the pull request with its issue, its siblings and its branch. Gives
 * 409 `base_moved` when the base is another by now.
 */
export function landPull(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { base, commit, landed, moves }: ReadyToLand,
  { by, method, keep_issue_open, checks_ignored = false }: LandedAs,
): void {
  const merge = { by: by.id, commit, method }
  // Merged before its base moves, so that the push is not taken for one that somebody else made.
  setMerged(tx, pull, merge, base)
  moveRefs(tx, context.repo, moves)
  afterMerge(tx, context, requirePull(tx.db, pull.repo_id, pull.number), {
    ...merge,
    landed,
    keep_issue_open,
    checks_ignored,
  })
  deleteBranch(tx, context, pull, by)
}

/** Deletes the merged branch where that is wanted and nothing else stands on it. */
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
  if (!keepsBranch(tx.hearth, repo.id, by, move)) moveRefs(tx, repo, [move])
}
