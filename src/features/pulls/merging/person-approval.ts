/** What of an agent's pull request a person must approve. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { hasOtherWriter } from '#features/repos/index.ts'
import type { MergeEvaluation } from '../extension-points.ts'
import { principalOf } from '../permissions.ts'
import type { PullRow } from '../store-pulls.ts'
import type { Stats } from '../changes/store-stats.ts'

/** Whether an agent made a pull request, with a token of its own or with that of its person. */
export const isByAgent = (hearth: Hearth, pull: Pick<PullRow, 'agent' | 'author_id'>): boolean =>
  pull.agent !== null || actorOf(hearth, pull.author_id).kind === 'agent'

const isApprovedByPerson = (hearth: Hearth, { standings }: MergeEvaluation): boolean =>
  standings.some(
    ({ review, counted }) =>
      counted && review.verdict === 'approve' && actorOf(hearth, review.author_id).kind === 'user',
  )

/** The files with which an agent changes how agents and checks work. */
export const changedInstructions = (
  hearth: Hearth,
  pull: PullRow,
  stats: Stats | null,
): readonly string[] =>
  stats !== null && stats.instruction_paths.length > 0 && isByAgent(hearth, pull)
    ? stats.instruction_paths
    : []

/**
 * The changed instructions that keep a pull request from being merged: those that no person has
 * approved. Nobody can approve the work of their own agent. So where nobody else can write, a
 * person who merges by hand has decided.
 */
export function unapprovedInstructions(
  hearth: Hearth,
  evaluation: MergeEvaluation,
): readonly string[] {
  const { pull, stats, context, by } = evaluation
  const paths = changedInstructions(hearth, pull, stats)
  if (paths.length === 0 || isApprovedByPerson(hearth, evaluation)) return []
  const isByProgram = by !== null && by.kind !== 'user'
  const owner = principalOf(actorOf(hearth, pull.author_id))
  return isByProgram || hasOtherWriter(hearth.db, context.repo.id, owner) ? paths : []
}

/** Whether an agent's pull request must not merge by itself before a person approved it. */
export function lacksPerson(hearth: Hearth, evaluation: MergeEvaluation): boolean {
  const { pull, stats, context } = evaluation
  return (
    (context.settings.agent_auto_merge_needs_person ||
      changedInstructions(hearth, pull, stats).length > 0) &&
    isByAgent(hearth, pull) &&
    !isApprovedByPerson(hearth, evaluation)
  )
}
