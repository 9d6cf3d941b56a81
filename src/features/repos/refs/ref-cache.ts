/**
 * Caches the refs of repositories. Every fetch and most pages need them, and they change rarely. An
 * entry is valid only for its generation, so an entry can be outdated but never wrong.
 */
import type { Oid, Ref, RefSnapshot } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { notFound } from '#lib/errors.ts'
import { repoById } from '../store/repos.ts'
import { listRefs } from '../store/refs.ts'

/** So many refs move in one transaction: about 25 ms in which nobody else can write. */
const REFS_PER_TRANSACTION = 200

/** The moves of refs in parts, of which each is one transaction. */
export function inTransactions<M>(moves: readonly M[]): M[][] {
  const parts: M[][] = []
  for (let at = 0; at < moves.length; at += REFS_PER_TRANSACTION)
    parts.push(moves.slice(at, at + REFS_PER_TRANSACTION))
  return parts
}

/** About what one ref takes in memory, with its place in the set of visible commits. */
const BYTES_PER_REF = 140
const MAX_CACHE_BYTES = 50_000_000
const MAX_STEPS = 8

const ASCII = /^[\0-\x7f]*$/

type Move = { readonly name: string; readonly new: Oid | null; readonly peeled: Oid | null }

/**
 * The moves from one generation to the next. With them one moved branch among thousands does not
 * require reading all refs again.
 */
type Step = { readonly from: string; readonly to: string; readonly moves: readonly Move[] }

/** The latest steps belong to the snapshot, because they are needed only while it is cached. */
type CachedRefs = { readonly snapshot: RefSnapshot; steps: readonly Step[] }

const refCache = cache<CachedRefs>('refs', {
  maxSize: MAX_CACHE_BYTES,
  sizeOf: ({ snapshot }) => (snapshot.refs.length + 10) * BYTES_PER_REF,
})

/**
 * Records all moves between two generations. A step is used only when the database has reached its
 * generation `to`; the generation of a rolled-back transaction never appears there.
 */
export function recordMoves(hearth: Hearth, repo_id: string, { from, to, moves }: Step): void {
  const cached = refCache(hearth).get(repo_id)
  // Beyond ASCII, SQLite's byte order differs from the order of JavaScript strings.
  if (
    !cached ||
    moves.length > REFS_PER_TRANSACTION ||
    !moves.every(({ name }) => ASCII.test(name))
  )
    return
  cached.steps = [...cached.steps.slice(1 - MAX_STEPS), { from, to, moves }]
}

/** Applies the recorded steps between two generations; null when one is missing. */
function applySteps({ snapshot, steps }: CachedRefs, from: string, to: string): Ref[] | null {
  const path: Step[] = []
  for (let at = to; at !== from; ) {
    const step = steps.find((one) => one.to === at)
    if (!step || path.length > MAX_STEPS) return null
    path.unshift(step)
    at = step.from
  }
  const refs = [...snapshot.refs]
  for (const { moves } of path) for (const move of moves) applyMove(refs, move)
  return refs
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

/** Returns the current refs of a repository. Throws 404 when the repository does not exist. */
export function refsOf(hearth: Pick<Hearth, 'db' | 'services'>, repo_id: string): RefSnapshot {
  const row = repoById(hearth.db, repo_id)
  if (!row) throw notFound('the repository')
  const generation = `${repo_id}.${row.refs_generation}`
  const cached = refCache(hearth).get(repo_id)
  if (cached?.snapshot.generation === generation) return cached.snapshot
  const previous = cached?.snapshot.generation.slice(repo_id.length + 1)
  const refs =
    (cached && previous !== undefined && applySteps(cached, previous, row.refs_generation)) ||
    listRefs(hearth.db, repo_id)
  const snapshot: RefSnapshot = { generation, head: `refs/heads/${row.default_branch}`, refs }
  refCache(hearth).set(repo_id, { snapshot, steps: [] })
  return snapshot
}
