/**
 * Moves refs. Objects are written first, where they are harmless while no ref reaches them. Then
 * one transaction moves the refs and appends the events. `moveRefs` is the only way to move a ref,
 * for pushes, merges and commits made here; `renameRef` changes only a name.
 */
import type { RefMoveSummary, Oid, RefUpdate } from '#git'
import { actorId } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { conflict, invalid, Refusal } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { gitPush, repoDefaultBranchChanged } from '../events.ts'
import { branchPushed } from '../extension-points.ts'
import { requireLiveFamily } from '../lifecycle/preconditions.ts'
import { enqueueMaintenance } from '../maintenance/maintain-store.ts'
import { hasSummary, summarizeHistory } from '../insights/history-summary.ts'
import { measureRepo } from '../maintenance/measure-repo.ts'
import { PRECOMPUTE_DELAY_MS, precomputeHistory } from '../blame/precompute-history.ts'
import { branchOf, branchRef, tagOf } from './ref-names.ts'
import type { PushSignature } from '../schema-code.ts'
import { recordMoves, refsOf } from './ref-cache.ts'
import { requireRepo, type RepoRow } from '../store/repos.ts'
import { removeBranchRedirect } from '../store/redirects.ts'
import {
  findRef,
  findRefBelow,
  hasBranches,
  readRef,
  removeRef,
  setHead,
  setRef,
  setRefsMoved,
} from '../store/refs.ts'

export { refsOf }

/** A move with the facts read from objects, so that a synchronous transaction can apply it. */
export type PreparedUpdate = RefUpdate & {
  /** The object that an annotated tag finally points at; null for everything else. */
  readonly peeled: Oid | null
  /** How many commits a branch gains. */
  readonly commits: number
  /** Whether a branch loses commits, or a tag moves. */
  readonly forced: boolean
}

/**
 * A random token for a state of the refs. A counter could repeat after a rolled-back transaction.
 */
export const newGeneration = (): string => randomToken(12)

export type MoveOptions = {
  /** Another actor than the caller (null: the service). */
  readonly as?: { actor_id: string | null }
  /** Whether the forge computed the commits by a merge or rebase, so nobody pushed their own. */
  readonly mergedHere?: boolean
  /** Of the push that moves them. */
  readonly signature?: PushSignature
}

type Family = { readonly id: string; readonly store: string }

/** Moves that go to a thread in one message, which takes some milliseconds. */
const MOVES_PER_CALL = 2000

/**
 * Prepares ref moves whose objects are on disk, with one history walk for all. An impossible move
 * yields the refusal in its place.
 */
export async function prepareEachUpdate(
  hearth: Hearth,
  repo: Family,
  updates: readonly RefUpdate[],
): Promise<(PreparedUpdate | Refusal)[]> {
  const moves = updates.flatMap(({ name, old, new: to }) => {
    if (to === null) return []
    // Commits are counted only for branches.
    return [{ name, old: branchOf(name) === null ? to : old, new: to }]
  })
  const { head } = refsOf(hearth, repo.id)
  const trunk =
    readRef(hearth.db, repo.id, head) ?? moves.find(({ name }) => name === head)?.new ?? null
  const first = moves.findIndex(({ name, old }) => name === head && old === null)
  const [own] =
    first < 0 || moves[first] === undefined
      ? []
      : await hearth.git.summarizeRefMoves(repo.store, [moves[first]], null)
  const facts: RefMoveSummary[] = []
  for (let at = 0; at < moves.length; at += MOVES_PER_CALL) {
    const part = moves.slice(at, at + MOVES_PER_CALL)
    facts.push(...(await hearth.git.summarizeRefMoves(repo.store, part, trunk)))
  }
  // All commits of the first push to the default branch are new, whatever the other branches are
  // compared with.
  if (own) facts[first] = own
  let next = 0
  return updates.map((update) => {
    const { name, old, new: to } = update
    const fact = to === null ? undefined : facts[next++]
    if (fact === undefined) return { ...update, peeled: null, commits: 0, forced: false }
    if (branchOf(name) === null) {
      if (fact.type === 'tag' && fact.peeled === null)
        return invalid('updates', `the tag ${to} leads to nothing`)
      return { ...update, peeled: fact.peeled, commits: 0, forced: old !== null && old !== to }
    }
    if (fact.type !== 'commit')
      return invalid('updates', `${name} cannot point at ${to}, which is not a commit`)
    return { ...update, peeled: null, commits: fact.commits, forced: fact.forced }
  })
}

/**
 * Prepares ref moves whose objects are on disk. Throws 422 when a branch would point at an object
 * that is not a commit.
 */
export async function prepareUpdates(
  hearth: Hearth,
  repo: Family,
  updates: readonly RefUpdate[],
): Promise<PreparedUpdate[]> {
  return (await prepareEachUpdate(hearth, repo, updates)).map((prepared) => {
    if (prepared instanceof Refusal) throw prepared
    return prepared
  })
}

/** Prepares one move. Throws 422 like `prepareUpdates`. */
export async function prepareUpdate(
  hearth: Hearth,
  repo: Family,
  update: RefUpdate,
): Promise<PreparedUpdate> {
  const [prepared] = await prepareUpdates(hearth, repo, [update])
  if (!prepared) throw new TypeError('one update gives one')
  return prepared
}

/** Returns the conflict of a move with the current refs; null when there is none. */
export function findMoveConflict(db: Db, repo_id: string, update: RefUpdate): Refusal | null {
  const { name, old, new: to } = update
  const now = findRef(db, repo_id, name)?.oid ?? null
  if (now !== old)
    return conflict('base_moved', `${name} has moved since`, {
      ref: name,
      expected: old,
      actual: now,
    })
  if (to === null || now !== null) return null
  // A name can be a ref or a directory of refs, not both, because git clients store refs as files.
  const parts = name.split('/')
  for (let end = parts.length - 1; end > 2; end--) {
    const above = parts.slice(0, end).join('/')
    if (findRef(db, repo_id, above))
      return conflict('already_exists', `${name} cannot be made while ${above} exists`, {
        ref: above,
      })
  }
  const below = findRefBelow(db, repo_id, name)
  return below === null
    ? null
    : conflict('already_exists', `${name} cannot be made while ${below} exists`, { ref: below })
}

/** Chooses the default branch at the first push: the only branch, or else `main` or `master`. */
function chooseInitialDefaultBranch(row: RepoRow, moves: readonly PreparedUpdate[]): string | null {
  const made = moves.flatMap(({ name, new: to }) =>
    to !== null && branchOf(name) !== null ? [name.slice('refs/heads/'.length)] : [],
  )
  if (made.includes(row.default_branch)) return null
  if (made.length === 1) return made[0] ?? null
  return ['main', 'master'].find((name) => made.includes(name)) ?? null
}

/**
 * Moves refs, all or none. Each ref must still point where its update says, else 409 `base_moved`.
 * Sets the default branch on the first push, changes the generation, and appends one `git.push`
 * event for every branch and tag that moved. A reaction may refuse, which rolls everything back.
 */
export function moveRefs(
  tx: Tx,
  repo: { readonly id: string },
  updates: readonly PreparedUpdate[],
  { as, mergedHere = false, signature }: MoveOptions = {},
): void {
  // The repository may have been archived or deleted since access was decided. Moves by the service
  // itself are not restricted.
  const row = tx.caller === null ? requireRepo(tx.db, repo.id) : requireLiveFamily(tx.db, repo.id)
  const wasEmpty = !hasBranches(tx.db, row.id)
  // Deletions first, so that one push can replace refs/heads/a by refs/heads/a/b.
  const moves = [
    ...updates.filter((update) => update.new === null),
    ...updates.filter((update) => update.new !== null),
  ]
  for (const update of moves) {
    const problem = findMoveConflict(tx.db, row.id, update)
    if (problem) throw problem
    if (update.new === null) removeRef(tx, row.id, update.name)
    else setRef(tx, row.id, { name: update.name, oid: update.new, peeled: update.peeled })
    const branch = update.old === null ? branchOf(update.name) : null
    if (branch !== null) removeBranchRedirect(tx, row.id, branch)
  }
  const head = wasEmpty ? chooseInitialDefaultBranch(row, moves) : null
  const generation = newGeneration()
  setRefsMoved(tx, row.id, generation, head)
  recordMoves(tx.hearth, row.id, { from: row.refs_generation, to: generation, moves })
  const default_branch = head ?? row.default_branch
  appendMoves(tx, row, moves, { default_branch, signature }, as)
  if (!mergedHere) emitPushes(tx, row, moves, as)
  if (row.parent_id === null && moves.some(({ name }) => name === branchRef(default_branch))) {
    tx.enqueue(measureRepo, { repo_id: row.id }, { key: row.id })
    tx.enqueue(
      precomputeHistory,
      { repo_id: row.id },
      { key: row.id, delay_ms: PRECOMPUTE_DELAY_MS },
    )
    if (hasSummary(tx.hearth, row.store))
      tx.enqueue(
        summarizeHistory,
        { repo_id: row.id },
        { key: row.id, delay_ms: PRECOMPUTE_DELAY_MS },
      )
  }
  const gained = moves.reduce((sum, { commits }) => sum + commits, 0)
  enqueueMaintenance(tx, row.store, gained)
}

function emitPushes(
  tx: Tx,
  { id: repo_id }: RepoRow,
  moves: readonly PreparedUpdate[],
  as: MoveOptions['as'],
): void {
  const actor_id = as ? as.actor_id : tx.caller && actorId(tx.caller)
  if (actor_id === null) return
  for (const { name, old, new: to } of moves) {
    const branch = branchOf(name)
    if (branch !== null && to !== null && to !== old)
      tx.emit(branchPushed, { repo_id, branch, actor_id })
  }
}

/** Appends the events of a move: the new default branch, and one `git.push` for each moved ref. */
function appendMoves(
  tx: Tx,
  row: RepoRow,
  moves: readonly PreparedUpdate[],
  { default_branch, signature }: { default_branch: string; signature: PushSignature | undefined },
  as: { actor_id: string | null } | undefined,
): void {
  const subject = { workspace_id: row.workspace_id, repo_id: row.id }
  if (default_branch !== row.default_branch)
    tx.append(
      repoDefaultBranchChanged,
      subject,
      { previous: row.default_branch, default_branch },
      as,
    )
  for (const { name, old, new: to, commits, forced } of moves) {
    if (old === to || (branchOf(name) === null && tagOf(name) === null)) continue
    tx.append(
      gitPush,
      subject,
      {
        ref: name,
        before: old,
        after: to,
        commits,
        forced,
        created: old === null,
        deleted: to === null,
        default_branch,
        signature: signature ?? null,
      },
      as,
    )
  }
}

/**
 * Renames a branch and updates HEAD. No commit moves, so no `git.push` is appended; the caller
 * appends its own event. Throws 409 when the new name conflicts with an existing ref.
 */
export function renameRef(tx: Tx, row: RepoRow, from: string, to: string): void {
  const ref = findRef(tx.db, row.id, from)
  if (!ref) throw new TypeError(`there is no ${from} in ${row.id}`)
  // Removed first, because the old name may conflict with the new one: "a" may become "a/b".
  removeRef(tx, row.id, from)
  const problem = findMoveConflict(tx.db, row.id, { name: to, old: null, new: ref.oid })
  if (problem) throw problem
  setRef(tx, row.id, { name: to, oid: ref.oid, peeled: ref.peeled })
  setHead(
    tx,
    row.id,
    newGeneration(),
    from === branchRef(row.default_branch)
      ? (branchOf(to) ?? row.default_branch)
      : row.default_branch,
  )
}
