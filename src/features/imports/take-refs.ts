/**
 * Makes the branches and tags of a repository out of what was fetched. The rules for pushes are not
 * asked (`guardMoves` of repos):
 * they hold a client's commits against what is there already, and here nothing is. The repository
 * is empty when it begins and takes
 * nobody's pushes until it ends, the history was made elsewhere before these rules, and half of it
 * would be no copy. From the
 * first push afterwards they hold.
 */
import type { Fetched, Oid, Ref } from '#git'
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

/** Refs that are made in one transaction: more would keep others waiting. */
const BATCH = 200

/** The import was ended by somebody. */
export class Ended extends Error {}

/** The default branch comes first and alone, because the first branch becomes the default one. */
const firstOf = (fetched: Fetched, refs: readonly Ref[]): Ref | null => {
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

/** Why a ref cannot be had here under its name; null when it can. */
function nameProblem(name: string): string | null {
  const problem =
    refNameProblem(name) ??
    shortNameProblem(
      branchOf(name) === null ? 'tags' : 'heads',
      branchOf(name) ?? tagOf(name) ?? '',
    )
  return problem === null ? null : `${name} was left out: its name ${problem}`
}

/**
 * Moves the refs in parts, the default branch first, and gives what was left out and why. What an
 * earlier try has made stays. Throws `Ended` when the import or the repository is gone meanwhile.
 */
export async function takeRefs(
  hearth: Hearth,
  row: ImportRow,
  fetched: Fetched,
): Promise<string[]> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const left = fetched.refused.map(({ name, why }) => `${name} was left out: ${why}`)
  if (fetched.remote.malformed > 0)
    left.push(`${fetched.remote.malformed} refs were left out: their names are malformed`)
  const good = fetched.refs.filter(({ name }) => {
    const problem = nameProblem(name)
    if (problem !== null) left.push(problem)
    return problem === null
  })
  const now = new Map(refsOf(hearth.db, repo.id).refs.map(({ name, oid }) => [name, oid]))
  const first = firstOf(fetched, good)
  const trunk = first?.oid ?? null
  const rest = good.filter((ref) => ref !== first)
  const head = first === null ? [] : await prepare(hearth, repo.store, [first], now, null)
  const others = await prepare(hearth, repo.store, rest, now, trunk)
  let done = good.length - head.length - others.length
  const move = (updates: readonly PreparedUpdate[]): Promise<void> =>
    writeAs(hearth, null, (tx) => {
      const fresh = findImport(tx.db, row.id)
      if (!fresh || fresh.state !== 'running' || requireRepo(tx.db, repo.id).deleted_at !== null)
        throw new Ended('the import was ended')
      moveRefs(tx, repo, updates, { actor_id: row.created_by })
      setProgress(tx, row.id, {
        phase: 'refs',
        refs_done: done + updates.length,
        refs_total: good.length,
      })
    }).then(() => void (done += updates.length))
  for (const batch of [head, ...batches(others)]) {
    if (batch.length === 0) continue
    try {
      await move(batch)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // One of them is refused; the others are not to suffer for it.
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

async function prepare(
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
  const facts = await hearth.git.moveFacts(store, moves, trunk)
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

function batches(updates: readonly PreparedUpdate[]): PreparedUpdate[][] {
  const parts: PreparedUpdate[][] = []
  for (let at = 0; at < updates.length; at += BATCH) parts.push(updates.slice(at, at + BATCH))
  return parts
}
