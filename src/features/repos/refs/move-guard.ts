/**
 * Checks ref moves of clients against the rules. Every caller of `moveRefs` that acts for a client
 * checks twice: before the transaction, because rules may read commits, and inside it, because
 * rules, teams and refs may have changed since.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { conflict, type Refusal } from '#lib/errors.ts'
import { moveRules, type RuleViolation } from '../extension-points.ts'
import type { PreparedUpdate } from './move-refs.ts'
import { requireRepo } from '../store/repos.ts'

export type MoveGuard = {
  readonly violations: readonly RuleViolation[]
  /** Checks again in the transaction, right before `moveRefs`, with the moves that remain. */
  recheck(tx: Tx, updates: readonly PreparedUpdate[]): readonly RuleViolation[]
}

/**
 * Evaluates the rules for several moves. Used by pushes, where one ref may be refused and another
 * accepted.
 */
export async function evaluateMoves(
  hearth: Hearth,
  repo_id: string,
  by: SignedIn,
  updates: readonly PreparedUpdate[],
): Promise<MoveGuard> {
  const requested = { row: requireRepo(hearth.db, repo_id), by, updates }
  const evaluations =
    updates.length === 0
      ? []
      : await Promise.all(moveRules.all(hearth).map((rules) => rules.ask(hearth, requested)))
  return {
    violations: evaluations.flatMap(({ violations }) => violations),
    recheck: (tx, left) => evaluations.flatMap((evaluation) => evaluation.recheck(tx, left)),
  }
}

const refusal = ([first, ...others]: readonly RuleViolation[]): Refusal | null =>
  first
    ? conflict('rule', first.message, {
        ...first.details,
        rules: [first, ...others].map(({ details }) => details),
      })
    : null

/**
 * Requires that the rules allow all moves. Throws 409 `rule`, here and again from the returned
 * function, which runs in the transaction.
 */
export async function requireMovesAllowed(
  hearth: Hearth,
  repo_id: string,
  by: SignedIn,
  updates: readonly PreparedUpdate[],
): Promise<(tx: Tx) => void> {
  const guard = await evaluateMoves(hearth, repo_id, by, updates)
  const refused = refusal(guard.violations)
  if (refused) throw refused
  return (tx) => {
    const refused = refusal(guard.recheck(tx, updates))
    if (refused) throw refused
  }
}

/** Whether a rule forbids a branch deletion that follows from another action, such as a merge. */
export const rulesForbidDeletion = (
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
