/**
 * Moves refs to what was fetched from another server, for imports and mirrors.
 *
 * Rules for pushes (`evaluateMoves`) do not apply: the history was made elsewhere, and half of it
 * would not be a copy.
 */
import type { FetchResult, Oid, Ref } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { inTransactions } from './ref-cache.ts'
import type { PreparedUpdate } from './move-refs.ts'
import { branchOf, refNameProblem, shortNameProblem, tagOf } from './ref-names.ts'

/**
 * Chooses the ref to create first and alone, because the first branch becomes the default branch.
 */
export const chooseFirstBranch = (fetched: FetchResult, refs: readonly Ref[]): Ref | null => {
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

/** The fetched refs that can be created here, and why others cannot. */
export function selectFetchedRefs(fetched: FetchResult): { good: Ref[]; left: string[] } {
  const left = fetched.refused.map(({ name, why }) => `${name} was left out: ${why}`)
  if (fetched.remote.malformed > 0)
    left.push(`${fetched.remote.malformed} refs were left out: their names are malformed`)
  const good = fetched.refs.filter(({ name }) => {
    const problem = findNameProblem(name)
    if (problem !== null) left.push(problem)
    return problem === null
  })
  return { good, left }
}

/** Prepares moves to these refs; those that are in place already are left out. */
export async function prepareFetchedRefs(
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

/**
 * Moves refs in batches, `first` alone and before the others. Returns the refs that were refused,
 * and why. Other errors of `move` are thrown.
 */
export async function moveInBatches(
  first: readonly PreparedUpdate[],
  others: readonly PreparedUpdate[],
  move: (updates: readonly PreparedUpdate[]) => Promise<void>,
): Promise<string[]> {
  const left: string[] = []
  for (const batch of [first, ...inTransactions(others)]) {
    if (batch.length === 0) continue
    try {
      await move(batch)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // One of them is refused. Each is moved alone, so that only that one fails.
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
