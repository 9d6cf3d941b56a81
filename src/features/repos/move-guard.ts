/**
 * The one gate for clients that move refs. Whoever calls `moveRefs` for a client asks here first:
 * once before the transaction,
 * because rules may have to read commits, and once inside it, because rules, teams and refs may
 * have changed meanwhile.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { conflict, type Refusal } from '#lib/errors.ts'
import { moveRules, type Objection } from './points.ts'
import type { PreparedUpdate } from './refs.ts'
import { requireRepo } from './store.ts'

export type MoveGuard = {
  readonly objections: readonly Objection[]
  /** In the transaction, right before `moveRefs`, with what is to be moved. */
  again(tx: Tx, updates: readonly PreparedUpdate[]): readonly Objection[]
}

/** Asks about each of several moves; for pushes, where one ref may be refused and another not. */
export async function guardMoves(
  hearth: Hearth,
  repo_id: string,
  by: SignedIn,
  updates: readonly PreparedUpdate[],
): Promise<MoveGuard> {
  const question = { row: requireRepo(hearth.db, repo_id), by, updates }
  const rulings =
    updates.length === 0
      ? []
      : await Promise.all(moveRules.all(hearth).map((rules) => rules.ask(hearth, question)))
  return {
    objections: rulings.flatMap(({ objections }) => objections),
    again: (tx, left) => rulings.flatMap((ruling) => ruling.again(tx, left)),
  }
}

const refusal = ([first, ...others]: readonly Objection[]): Refusal | null =>
  first
    ? conflict('rule', first.message, {
        ...first.details,
        rules: [first, ...others].map(({ details }) => details),
      })
    : null

/**
 * Lets all of them happen or none: gives 409 `rule`, now and, through what it gives back, again in
 * the transaction.
 */
export async function requireMoves(
  hearth: Hearth,
  repo_id: string,
  by: SignedIn,
  updates: readonly PreparedUpdate[],
): Promise<(tx: Tx) => void> {
  const guard = await guardMoves(hearth, repo_id, by, updates)
  const refused = refusal(guard.objections)
  if (refused) throw refused
  return (tx) => {
    const refused = refusal(guard.again(tx, updates))
    if (refused) throw refused
  }
}

/** Whether a rule keeps a branch from being deleted by what only follows from something else. */
export const keepsBranch = (
  hearth: Hearth,
  repo_id: string,
  by: SignedIn,
  update: PreparedUpdate,
): boolean =>
  moveRules
    .all(hearth)
    .some((rules) =>
      rules.keeps(hearth, { row: requireRepo(hearth.db, repo_id), by, updates: [update] }),
    )
