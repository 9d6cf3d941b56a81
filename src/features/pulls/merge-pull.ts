/**
 * Merging. Objects first: what would land is built on the base as it is now, and looked at again (`verify-landing.ts`).
 * Then one transaction moves the base, settles the pull request, its issue and its siblings, and tells of it. The base moves
 * only if it is still what the landing was built on, so of two merges at once one wins and the other is told that the base
 * has moved; a crash leaves either all of it or, at most, objects that nothing refers to.
 */
import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import type { Landing, MergeMethod } from '#git'
import { manyLines, notBlank, refuseSecrets } from '#features/issues/index.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { branchRef, moveRefs, prepareUpdates, readRef, type PreparedUpdate } from '#features/repos/index.ts'
import type { Hearth } from '#core/hearth.ts'
import type { SignedIn } from '#core/caller.ts'
import { conflict, invalid, Refusal } from '#lib/errors.ts'
import { contextFor, contextOf, type PullContext } from './context.ts'
import { onPull } from './inputs.ts'
import { defaultMessage, originTrailers, serviceIdentity, squashAuthors, withTrailers } from './merge-message.ts'
import { landingPlaces, type Landing as Waiting, type LandingPlace } from './points.ts'
import { currentBlockers, pullRecord } from './record.ts'
import { MERGE_METHODS, Pull, type Blocker } from './schema.ts'
import { afterMerge } from './settle.ts'
import { MOST_LANDED } from './settle-pulls.ts'
import { standingsOf } from './standing.ts'
import { freshStats } from './stats.ts'
import { listActiveByBase, listActiveByBranch, requirePull, setMerged, type PullRow } from './store.ts'
import type { Stats } from './store-stats.ts'
import { inPull } from './untrusted.ts'
import { landingProblem } from './verify-landing.ts'

export const mergePull = operation({
  name: 'merge_pull',
  summary: 'Merge an open pull request into its base and resolve its issue (unless keep_issue_open). Members of the workspace with write. 409 says what stands against it; blockers of get_pull lists all of that.',
  route: 'POST /v1/repos/{owner}/{name}/pulls/{number}/merge',
  toolset: 'pulls',
  aliases: ['merge_pull_request'],
  annotations: { destructive: true },
  access: writesRepo('write', { scope: 'pulls:merge', member: 'member' }),
  input: Type.Object({
    ...onPull,
    method: Type.Optional(OneOf(MERGE_METHODS, { description: `The repository's default unless given.` })),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536, description: 'The message of the merge or squash commit.' })),
    expected_head: Type.Optional(Type.String({ pattern: '^[0-9a-f]{7,40}$', description: 'Merge only if this is still its head.' })),
    keep_issue_open: Type.Optional(Type.Boolean({ description: 'Leave its issue, and other pull requests for it, as they are.' })),
    ignore_checks: Type.Optional(Type.Boolean({ description: 'Merge with failed checks, where the repository allows that.' })),
  }),
  output: Pull,
  untrusted: inPull,

  handler: async ({ hearth, db, repo, caller, write }, { number, message, expected_head, keep_issue_open = false, ...given }) => {
    // The base is read once, here; everything below is about this commit of it.
    const pull = withCurrentBase(hearth, requirePull(db, repo.id, number))
    requireHead(pull, expected_head)
    const context = contextFor(hearth, contextOf(db, repo.id), pull.base_ref)
    const stats = pull.status === 'open' ? await freshStats(hearth, pull) : null
    const question = { pull, context, stats, standings: standingsOf(hearth, pull, context, stats), by: caller }
    const place = landingPlaces.all(hearth).find((one) => one.takes(hearth, context, pull.base_ref))
    // What lands through another place is built on the base of that moment.
    refuseBlocked(currentBlockers(hearth, question).filter(({ code }) => !place || code !== 'base_moved'))
    if (!stats) throw conflict('not_ready', 'nothing has been pushed yet')
    const method = methodOf(context, given.method as MergeMethod | undefined)
    if (message !== undefined) refuseSecrets(db, repo.id, 'message', notBlank('message', message))
    if (place) return write((tx) => landThrough(tx, place, pull, { by: caller, method, message: message === undefined ? null : manyLines('message', message), keep_issue_open }))

    const landing = await build(hearth, caller, context, pull, stats, { method, message: message === undefined ? null : manyLines('message', message) })
    const landed = (await hearth.git.log(repo.store, { tips: [landing.commit], hide: [stats.base_sha], limit: MOST_LANDED })).map(({ oid }) => oid)
    const moves = await prepareUpdates(hearth, repo, [{ name: branchRef(pull.base_ref), old: stats.base_sha, new: landing.commit }])

    return write((tx) => {
      const now = requirePull(tx.db, repo.id, number)
      if (now.head_sha !== pull.head_sha) throw conflict('head_moved', `#${number} was pushed to just now; look at it again`, { head: now.head_sha })
      const context = contextFor(hearth, contextOf(tx.db, repo.id), now.base_ref)
      if (now.base_ref !== pull.base_ref || readRef(tx.db, repo.id, branchRef(pull.base_ref)) !== stats.base_sha) throw baseMoved(pull)
      // Approvals, settings and the state may have changed while the landing was built.
      refuseBlocked(currentBlockers(hearth, { pull: now, context, stats, standings: standingsOf(hearth, now, context, stats), by: caller }))
      const merge = { by: caller.id, commit: landing.commit, method }
      // Merged before its base moves, so that the push is not taken for one that somebody else made.
      setMerged(tx, now, merge, stats.base_sha)
      moveRefs(tx, repo, moves)
      afterMerge(tx, context, requirePull(tx.db, repo.id, number), { ...merge, landed, keep_issue_open })
      deleteBranch(tx, context, now)
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), contextOf(tx.db, repo.id))
    })
  },
})

/** Hands it to the place that lands it later; what was looked at a moment ago is looked at again there before it lands. */
function landThrough(tx: Tx, place: LandingPlace, seen: PullRow, landing: Waiting): Pull {
  const pull = requirePull(tx.db, seen.repo_id, seen.number)
  if (pull.head_sha !== seen.head_sha || pull.status !== seen.status) throw conflict('head_moved', `#${seen.number} changed just now; look at it again`, { head: pull.head_sha })
  const context = contextOf(tx.db, seen.repo_id)
  place.add(tx, context, pull, landing)
  return pullRecord(tx.hearth, requirePull(tx.db, seen.repo_id, seen.number), context)
}

const baseMoved = (pull: PullRow): Refusal =>
  conflict('base_moved', `${pull.base_ref} has moved since this pull request was last updated`, { base: pull.base_ref })

/** Pull requests follow their base in the transaction of each push; this only closes the gap for one that never saw a push. */
function withCurrentBase(hearth: Hearth, pull: PullRow): PullRow {
  const tip = readRef(hearth.db, pull.repo_id, branchRef(pull.base_ref))
  if (tip === null && pull.status === 'open') throw conflict('base_moved', `the base ${pull.base_ref} does not exist any more; choose another with update_pull`)
  return tip === null || tip === pull.base_sha || pull.status === 'merged' ? pull : { ...pull, base_sha: tip }
}

function requireHead(pull: PullRow, expected: string | undefined): void {
  if (expected === undefined || pull.head_sha?.startsWith(expected)) return
  throw conflict('head_moved', `the head of #${pull.number} is ${pull.head_sha ?? 'not there yet'}, not ${expected}`, { head: pull.head_sha })
}

/** Refuses with the first blocker; all of them are in the details. */
function refuseBlocked(blockers: readonly Blocker[]): void {
  const [first] = blockers
  if (first) throw conflict(first.code, first.message, { ...first.details, blockers })
}

function methodOf({ settings }: PullContext, wanted: MergeMethod | undefined): MergeMethod {
  const allowed = settings.merge_methods as MergeMethod[]
  const usual = settings.default_merge_method as MergeMethod
  if (wanted === undefined) return allowed.includes(usual) ? usual : (allowed[0] ?? 'merge')
  if (!allowed.includes(wanted)) throw invalid('method', `this repository does not merge by ${wanted}; it allows ${allowed.join(', ')}`)
  return wanted
}

/** Builds what lands, and looks at it. Gives 409 `conflicts`; anything wrong with the result is a bug, and 500. */
async function build(
  hearth: Hearth,
  caller: SignedIn,
  context: PullContext,
  pull: PullRow,
  { base_sha: base, head_sha: head, merge_base_sha: merge_base }: Stats,
  { method, message }: { method: MergeMethod; message: string | null },
): Promise<Extract<Landing, { commit: string }>> {
  const { store } = context.repo
  const trailers = originTrailers(hearth, context.full_name, pull)
  const merger = commitIdentity(hearth, caller)
  const squash = method === 'squash' ? squashAuthors(hearth, pull, await hearth.git.log(store, { tips: [head], hide: [base], limit: 1_000 })) : null
  const landing = await hearth.git.land(store, {
    method, base, head, trailers,
    message: withTrailers(message ?? defaultMessage(method, pull), [...(squash?.co_authors ?? []), ...trailers]),
    author: squash?.author ?? merger,
    committer: method === 'rebase' ? serviceIdentity(hearth) : merger,
  })
  if ('conflicts' in landing) {
    throw conflict('conflicts', `it cannot be merged by ${method}: ${landing.conflicts.slice(0, 5).join(', ')} ${landing.conflicts.length === 1 ? 'conflicts' : 'conflict'}`, {
      paths: landing.conflicts.slice(0, 100),
    })
  }
  if (landing.commit === base) throw conflict('conflicts', `nothing is left of its commits by ${method}: ${pull.base_ref} has their changes already`)
  if (method === 'rebase') await requireSameAsMerge(hearth, store, base, head, landing.tree)
  const problem = await landingProblem(hearth.git, { store, base, merge_base, head, ...landing })
  if (problem !== null) {
    hearth.log.error('a merge was stopped because its result is wrong', { repo: context.full_name, pull: pull.number, method, base, head, result: landing.commit, problem })
    throw new Error(`the merge of ${context.full_name}#${pull.number} was stopped: ${problem}`)
  }
  return landing
}

/** Replaying leaves out merge commits. When one of them had a change of its own, the result is not what was reviewed. */
async function requireSameAsMerge({ git }: Hearth, store: string, base: string, head: string, tree: string): Promise<void> {
  const merged = await git.previewMerge(store, base, head)
  if ('tree' in merged && merged.tree === tree) return
  throw conflict('conflicts', 'its commits, replayed one by one, give something else than merging it: a merge commit in it has changes of its own. Use another method')
}

/** Deletes the merged branch where that is wanted and nothing else stands on it. */
function deleteBranch(tx: Tx, { repo, settings }: PullContext, pull: PullRow): void {
  const { branch } = pull
  if (branch === null || !settings.delete_branch_on_merge || branch === repo.default_branch) return
  if (readRef(tx.db, repo.id, branchRef(branch)) !== pull.head_sha) return
  if (listActiveByBranch(tx.db, repo.id, branch).length > 0 || listActiveByBase(tx.db, repo.id, branch).length > 0) return
  const move: PreparedUpdate = { name: branchRef(branch), old: pull.head_sha, new: null, peeled: null, commits: 0, forced: false }
  moveRefs(tx, repo, [move])
}
