/**
 * Refs in memory. A repository's refs are asked for with every fetch and every page, and change
 * rarely; the generation is their key, so an entry can be old but never wrong. The least recently
 * used go first.
 */
import type { Oid, Ref, RefSnapshot } from '#git'
import type { Db } from '#core/db.ts'
import { notFound } from '#lib/errors.ts'
import { repoById } from './store.ts'
import { listRefs } from './store-refs.ts'

/** About 100 bytes each: some 50 MB at most. */
const MOST_REFS = 500_000

const kept = new Map<string, RefSnapshot>()
let size = 0

const weight = (snapshot: RefSnapshot): number => snapshot.refs.length + 10

function keep(repo_id: string, snapshot: RefSnapshot): void {
  forget(repo_id)
  kept.set(repo_id, snapshot)
  size += weight(snapshot)
  for (const oldest of kept.keys()) {
    if (size <= MOST_REFS || oldest === repo_id) break
    forget(oldest)
  }
}

/**
 * What led from one generation to the next, so that one moved branch among thousands does not have
 * all of them read again.
 */
type Step = { readonly from: string; readonly to: string; readonly moves: readonly Move[] }
type Move = { readonly name: string; readonly new: Oid | null; readonly peeled: Oid | null }

/** Of repositories whose refs are in memory, the latest ones. */
const steps = new Map<string, readonly Step[]>()
const MOST_STEPS = 8
const MOST_MOVES = 64

const ASCII = /^[\0-\x7f]*$/

/**
 * Tells of moves that made one generation into the next, all that happened between them. It holds
 * only once the database says that the next one has come: moves that were undone lead to a
 * generation that never does.
 */
export function noteMoves(repo_id: string, from: string, to: string, moves: readonly Move[]): void {
  // Beyond ASCII the database orders names otherwise than texts are compared here.
  if (
    !kept.has(repo_id) ||
    moves.length > MOST_MOVES ||
    !moves.every(({ name }) => ASCII.test(name))
  )
    return
  steps.set(repo_id, [...(steps.get(repo_id) ?? []).slice(1 - MOST_STEPS), { from, to, moves }])
}

/**
 * The refs at a generation, from those before and what is known to have moved since; null when that
 * is not known.
 */
function afterSteps(refs: readonly Ref[], repo_id: string, from: string, to: string): Ref[] | null {
  const path: Step[] = []
  for (let at = to; at !== from; ) {
    const step = steps.get(repo_id)?.find((one) => one.to === at)
    if (!step || path.length > MOST_STEPS) return null
    path.unshift(step)
    at = step.from
  }
  const now = [...refs]
  for (const { moves } of path) for (const move of moves) applyMove(now, move)
  return now
}

function applyMove(refs: Ref[], { name, new: oid, peeled }: Move): void {
  let [low, high] = [0, refs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((refs[middle]?.name ?? '') < name) low = middle + 1
    else high = middle
  }
  const there = refs[low]?.name === name ? 1 : 0
  if (oid === null) refs.splice(low, there)
  else refs.splice(low, there, { name, oid, peeled })
}

function forget(repo_id: string): void {
  const snapshot = kept.get(repo_id)
  if (!snapshot) return
  kept.delete(repo_id)
  steps.delete(repo_id)
  size -= weight(snapshot)
}

/** The refs of a repository at this moment; 404 when the repository is gone. */
export function refsOf(db: Db, repo_id: string): RefSnapshot {
  const row = repoById(db, repo_id)
  if (!row) throw notFound('the repository')
  const generation = `${repo_id}.${row.refs_generation}`
  const known = kept.get(repo_id)
  if (known?.generation === generation) {
    kept.delete(repo_id)
    kept.set(repo_id, known)
    return known
  }
  const snapshot: RefSnapshot = {
    generation,
    head: `refs/heads/${row.default_branch}`,
    refs:
      (known &&
        afterSteps(
          known.refs,
          repo_id,
          known.generation.slice(repo_id.length + 1),
          row.refs_generation,
        )) ??
      listRefs(db, repo_id),
  }
  keep(repo_id, snapshot)
  return snapshot
}
