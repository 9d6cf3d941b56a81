/**
 * Moving refs. Objects are on disk first, where they harm nobody while no ref reaches them; then
 * one transaction moves the refs and appends their events. `moveRefs` is the only way, for pushes,
 * merges and commits made here alike; `renameRef` changes a name alone.
 */
import type { MoveFacts, Oid, RefUpdate } from '#git'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { conflict, invalid, Refusal } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { gitPush, repoDefaultBranchChanged } from './events.ts'
import { requireLiveFamily } from './lifecycle.ts'
import { MAINTAIN_AFTER_MS, maintainStore } from './maintain-store.ts'
import { measureRepo } from './measure-repo.ts'
import { READ_AHEAD_AFTER_MS, readAhead } from './read-ahead.ts'
import { branchOf, branchRef, tagOf } from './ref-names.ts'
import { noteMoves, refsOf } from './ref-cache.ts'
import { requireRepo, type RepoRow } from './store.ts'
import { removeBranchRedirect } from './store-redirects.ts'
import {
  findRef,
  findRefBelow,
  hasBranches,
  readRef,
  removeRef,
  setHead,
  setRef,
  setRefsMoved,
} from './store-refs.ts'

export { refsOf }

/**
 * One move with what had to be read from objects: only then can a synchronous transaction carry it
 * out.
 */
export type PreparedUpdate = RefUpdate & {
  /** What an annotated tag points at in the end; null for everything else. */
  readonly peeled: Oid | null
  /** Commits that a branch gains. */
  readonly commits: number
  /** Whether a branch loses commits, or a tag is moved. */
  readonly forced: boolean
}

/** A word for the state of refs that no state before or after shares. */
export const newGeneration = (): string => randomToken(12)

type Family = { readonly id: string; readonly store: string }

/**
 * Prepares moves of refs whose new objects are on disk, all of them with one look at history; in
 * place of one that cannot be made is why.
 */
export async function prepareEach(
  hearth: Hearth,
  repo: Family,
  updates: readonly RefUpdate[],
): Promise<(PreparedUpdate | Refusal)[]> {
  const moves = updates.flatMap(({ name, old, new: to }) => {
    if (to === null) return []
    // Commits are counted for branches alone.
    return [{ name, old: branchOf(name) === null ? to : old, new: to }]
  })
  const { head } = refsOf(hearth.db, repo.id)
  const trunk =
    readRef(hearth.db, repo.id, head) ?? moves.find(({ name }) => name === head)?.new ?? null
  const first = moves.findIndex(({ name, old }) => name === head && old === null)
  const [own] =
    first < 0 || moves[first] === undefined
      ? []
      : await hearth.git.moveFacts(repo.store, [moves[first]], null)
  const facts = moves.length === 0 ? [] : await hearth.git.moveFacts(repo.store, moves, trunk)
  // The trunk's own first commits are news, whatever the other new branches are compared with.
  if (own) (facts as MoveFacts[])[first] = own
  let at = 0
  return updates.map((update) => {
    const { name, old, new: to } = update
    const fact = to === null ? undefined : facts[at++]
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
 * Prepares moves of refs whose new objects are on disk. Gives 422 when a branch would point at
 * something that is not a commit.
 */
export async function prepareUpdates(
  hearth: Hearth,
  repo: Family,
  updates: readonly RefUpdate[],
): Promise<PreparedUpdate[]> {
  return (await prepareEach(hearth, repo, updates)).map((prepared) => {
    if (prepared instanceof Refusal) throw prepared
    return prepared
  })
}

/** Prepares one move. Gives 422 as `prepareUpdates`. */
export async function prepareUpdate(
  hearth: Hearth,
  repo: Family,
  update: RefUpdate,
): Promise<PreparedUpdate> {
  const [prepared] = await prepareUpdates(hearth, repo, [update])
  if (!prepared) throw new TypeError('one update gives one')
  return prepared
}

/** What stands against a move as the refs are now; null when nothing does. */
export function moveProblem(db: Db, repo_id: string, update: RefUpdate): Refusal | null {
  const { name, old, new: to } = update
  const now = findRef(db, repo_id, name)?.oid ?? null
  if (now !== old)
    return conflict('base_moved', `${name} has moved since`, {
      ref: name,
      expected: old,
      actual: now,
    })
  if (to === null || now !== null) return null
  // A name can be a ref or a directory of refs, not both: clients keep refs as files.
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

/**
 * The branch that becomes the default one with the first push: the only one, or else `main` or
 * `master`.
 */
function firstDefault(row: RepoRow, moves: readonly PreparedUpdate[]): string | null {
  const made = moves.flatMap(({ name, new: to }) =>
    to !== null && branchOf(name) !== null ? [name.slice('refs/heads/'.length)] : [],
  )
  if (made.includes(row.default_branch)) return null
  if (made.length === 1) return made[0] ?? null
  return ['main', 'master'].find((name) => made.includes(name)) ?? null
}

/**
 * Moves refs, all or none: each must still point where its update says (else 409 `base_moved`).
 * Sets the default branch on the first push, bumps the generation, and appends one `git.push` for
 * every branch and tag that moved. A reaction may refuse, which undoes all of it. `as` names
 * another actor than the caller (null: the service).
 */
export function moveRefs(
  tx: Tx,
  repo: { readonly id: string },
  updates: readonly PreparedUpdate[],
  as?: { actor_id: string | null },
): void {
  // Whoever asked may have been overtaken by an archive or a deletion. What the service itself
  // keeps is not a change of theirs.
  const row = tx.caller === null ? requireRepo(tx.db, repo.id) : requireLiveFamily(tx.db, repo.id)
  const wasEmpty = !hasBranches(tx.db, row.id)
  // Deletions first, so that one push can replace refs/heads/a by refs/heads/a/b.
  const moves = [
    ...updates.filter((update) => update.new === null),
    ...updates.filter((update) => update.new !== null),
  ]
  for (const update of moves) {
    const problem = moveProblem(tx.db, row.id, update)
    if (problem) throw problem
    if (update.new === null) removeRef(tx, row.id, update.name)
    else setRef(tx, row.id, { name: update.name, oid: update.new, peeled: update.peeled })
    const branch = update.old === null ? branchOf(update.name) : null
    if (branch !== null) removeBranchRedirect(tx, row.id, branch)
  }
  const head = wasEmpty ? firstDefault(row, moves) : null
  const generation = newGeneration()
  setRefsMoved(tx, row.id, generation, head)
  noteMoves(row.id, row.refs_generation, generation, moves)
  const subject = { workspace_id: row.workspace_id, repo_id: row.id }
  const default_branch = head ?? row.default_branch
  if (head !== null)
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
      },
      as,
    )
  }
  if (row.parent_id === null && moves.some(({ name }) => name === branchRef(default_branch))) {
    tx.enqueue(measureRepo, { repo_id: row.id }, { key: row.id })
    tx.enqueue(readAhead, { repo_id: row.id }, { key: row.id, delay_ms: READ_AHEAD_AFTER_MS })
  }
  tx.enqueue(maintainStore, { store: row.store }, { key: row.store, delay_ms: MAINTAIN_AFTER_MS })
}

/**
 * Gives a branch another name, HEAD with it. No commit moves, so it is no push and has no
 * `git.push`: who calls this appends what happened. Gives 409 when the new name cannot be made
 * beside the refs that are there.
 */
export function renameRef(tx: Tx, row: RepoRow, from: string, to: string): void {
  const ref = findRef(tx.db, row.id, from)
  if (!ref) throw new TypeError(`there is no ${from} in ${row.id}`)
  // First, so that it is not in its own way: "a" may become "a/b".
  removeRef(tx, row.id, from)
  const problem = moveProblem(tx.db, row.id, { name: to, old: null, new: ref.oid })
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
