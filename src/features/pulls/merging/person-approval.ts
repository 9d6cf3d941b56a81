/** What of an agent's pull request a person must approve. */
import type { Hearth } from '#core/hearth.ts'
import type { Actor } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { hasOtherWriter, type settingsOf } from '#features/repos/index.ts'
import type { MergeEvaluation } from '../extension-points.ts'
import { principalOf } from '../permissions.ts'
import type { PullRow } from '../store-pulls.ts'
import type { Stats } from '../changes/store-stats.ts'

/** What decides it, of a pull request as pages have it and as jobs read it. */
type Reviewed = {
  readonly agent: string | null
  readonly author: Actor
  readonly instruction_paths: readonly string[]
  readonly reviews: readonly { verdict: string; counted: boolean; author: Actor }[]
}

/** Whether an agent made a pull request, with a token of its own or with that of its person. */
const isByAgent = ({ agent, author }: Pick<Reviewed, 'agent' | 'author'>): boolean =>
  agent !== null || author.kind === 'agent'

const isApprovedByPerson = (reviews: Reviewed['reviews']): boolean =>
  reviews.some(
    ({ verdict, counted, author }) => counted && verdict === 'approve' && author.kind === 'user',
  )

/** Whether an agent's pull request must not merge by itself before a person approved it. */
export const lacksPerson = (
  settings: Pick<ReturnType<typeof settingsOf>, 'agent_auto_merge_needs_person'>,
  pull: Reviewed,
): boolean =>
  (settings.agent_auto_merge_needs_person || pull.instruction_paths.length > 0) &&
  isByAgent(pull) &&
  !isApprovedByPerson(pull.reviews)

/** The pull request of an evaluation, as `lacksPerson` reads it. */
export const reviewedOf = (
  hearth: Hearth,
  { pull, stats, standings }: MergeEvaluation,
): Reviewed => ({
  agent: pull.agent,
  author: actorOf(hearth, pull.author_id),
  instruction_paths: changedInstructions(hearth, pull, stats),
  reviews: standings.map(({ review: { verdict, author_id }, counted }) => ({
    verdict,
    counted,
    author: actorOf(hearth, author_id),
  })),
})

/** The files with which an agent changes how agents and checks work. */
export const changedInstructions = (
  hearth: Hearth,
  pull: PullRow,
  stats: Stats | null,
): readonly string[] =>
  stats !== null &&
  stats.instruction_paths.length > 0 &&
  isByAgent({ agent: pull.agent, author: actorOf(hearth, pull.author_id) })
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
  if (paths.length === 0) return []
  const { reviews, author } = reviewedOf(hearth, evaluation)
  if (isApprovedByPerson(reviews)) return []
  const isByProgram = by !== null && by.kind !== 'user'
  const owner = principalOf(author)
  return isByProgram || hasOtherWriter(hearth.db, context.repo.id, owner) ? paths : []
}
