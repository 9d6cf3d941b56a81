/**
 * Creates the branches and tags that were fetched.
 *
 * Rules for pushes (`evaluateMoves` of repos) do not apply. They compare a client's commits with
 * existing ones, and the repository is empty and refuses pushes while it is imported. The history
 * was made before these rules, and half of it would not be a copy. The rules apply from the first
 * push on.
 */
import type { FetchResult, Oid, Ref } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import {
  branchOf,
  moveRefs,
  refNameProblem,
  refsOf,
  requireRepo,
  shortNameProblem,
  tagOf,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { findImport, setProgress, type ImportRow } from './store.ts'

/** More refs in one transaction would block other writers. */
const REFS_PER_TRANSACTION = 200

/** The import was cancelled, or its repository deleted. */
export class ImportEnded extends Error {}

/**
 * Chooses the ref to create first and alone, because the first branch becomes the default branch.
 */
const chooseFirstBranch = (fetched: FetchResult, refs: readonly Ref[]): Ref | null => {
  const branches = refs.filter(({ name }) => branchOf(name) !== null)
  const named = (name: string | null) => branches.find((ref) => ref.name === name)
  return (
    named(fetched.remote.head) ??
    named('refs/heads/main') ??
    named('refs/heads/master') ??
    branches[0] ??
    null
  )
}

/** Returns why a ref name is not allowed here; null when it is. */
function findNameProblem(name: string): string | null {
  const problem =
    refNameProblem(name) ??
    shortNameProblem(
      branchOf(name) === null ? 'tags' : 'heads',
      branchOf(name) ?? tagOf(name) ?? '',
    )
  return problem === null ? null : `${name} was left out: its name ${problem}`
}

/**
 * Creates the refs in batches, the default branch first. Returns what was left out and why. Refs
 * from an earlier attempt stay. Throws `ImportEnded` when the import or the repository ended
 * meanwhile.
 */
export async function createFetchedRefs(
  hearth: Hearth,
  row: ImportRow,
  fetched: FetchResult,
): Promise<string[]> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const left = fetched.refused.map(({ name, why }) => `${name} was left out: ${why}`)
  if (fetched.remote.malformed > 0)
    left.push(`${fetched.remote.malformed} refs were left out: their names are malformed`)
  const good = fetched.refs.filter(({ name }) => {
    const problem = findNameProblem(name)
    if (problem !== null) left.push(problem)
    return problem === null
  })
  const now = new Map(refsOf(hearth, repo.id).refs.map(({ name, oid }) => [name, oid]))
  const first = chooseFirstBranch(fetched, good)
  const trunk = first?.oid ?? null
  const rest = good.filter((ref) => ref !== first)
  const head = first === null ? [] : await prepareRefs(hearth, repo.store, [first], now, null)
  const others = await prepareRefs(hearth, repo.store, rest, now, trunk)
  let done = good.length - head.length - others.length
  const move = (updates: readonly PreparedUpdate[]): Promise<void> =>
    writeAs(hearth, null, (tx) => {
      const fresh = findImport(tx.db, row.id)
      if (fresh?.state !== 'running' || requireRepo(tx.db, repo.id).deleted_at !== null)
        throw new ImportEnded('the import was ended')
      moveRefs(tx, repo, updates, { as: { actor_id: row.created_by } })
      setProgress(tx, row.id, {
        phase: 'refs',
        refs_done: done + updates.length,
        refs_total: good.length,
      })
    }).then(() => void (done += updates.length))
  for (const batch of [head, ...batchUpdates(others)]) {
    if (batch.length === 0) continue
    try {
      await move(batch)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // One of them is refused. Each is created alone, so that only that one fails.
      for (const update of batch) {
        await move([update]).catch((alone: unknown) => {
          if (!(alone instanceof Refusal)) throw alone
          left.push(`${update.name} was left out: ${alone.message}`)
        })
      }
    }
  }
  return left
}

async function prepareRefs(
  hearth: Hearth,
  store: string,
  refs: readonly Ref[],
  now: ReadonlyMap<string, Oid>,
  trunk: Oid | null,
): Promise<PreparedUpdate[]> {
  const moves = refs.flatMap(({ name, oid }) =>
    now.get(name) === oid ? [] : [{ name, old: now.get(name) ?? null, new: oid }],
  )
  if (moves.length === 0) return []
  const facts = await hearth.git.summarizeRefMoves(store, moves, trunk)
  return moves.flatMap((move, i) => {
    const fact = facts[i]
    if (!fact) return []
    const isBranch = branchOf(move.name) !== null
    return [
      {
        ...move,
        peeled: isBranch ? null : fact.peeled,
        commits: isBranch ? fact.commits : 0,
        forced: isBranch ? fact.forced : move.old !== null,
      },
    ]
  })
}

function batchUpdates(updates: readonly PreparedUpdate[]): PreparedUpdate[][] {
  const parts: PreparedUpdate[][] = []
  for (let at = 0; at < updates.length; at += REFS_PER_TRANSACTION)
    parts.push(updates.slice(at, at + REFS_PER_TRANSACTION))
  return parts
}
