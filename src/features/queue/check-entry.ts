/**
 * Whether an entry may still be merged now by whoever queued it. Checked after changes, and again
 * in the transaction that lands it.
 */
import { decide } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import {
  restoreCaller,
  contextFor,
  contextOf,
  currentBlockers,
  mergePull,
  loadEvaluation,
  type MergeEvaluation,
  type PullContext,
  type PullRow,
} from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { EntryRow } from './store.ts'

/**
 * Blockers that the queue handles itself: it builds on the newest base, finds conflicts when it
 * builds, and tests the very commit that lands.
 */
const HANDLED_BLOCKERS = new Set(['base_moved', 'conflicts', 'checks_pending', 'checks_failed'])

export type EntryCheck =
  | {
      readonly is: 'out'
      readonly reason: string
      readonly note: string
      readonly question: MergeEvaluation | null
    }
  /** Mergeable, but outside of the merge window. */
  | { readonly is: 'shut'; readonly opens_at: number | null; readonly note: string }
  | {
      readonly is: 'in'
      readonly by: SignedIn
      readonly context: PullContext
      readonly question: MergeEvaluation
    }

/** `stats` are of the present pair of commits; null when these are gone. */
export function checkEntry(
  hearth: Hearth,
  entry: EntryRow,
  pull: PullRow,
  stats: MergeEvaluation['stats'],
): EntryCheck {
  const out = (
    reason: string,
    note: string,
    question: MergeEvaluation | null = null,
  ): EntryCheck => ({
    is: 'out',
    reason,
    note,
    question,
  })
  if (pull.status === 'merged') return out('merged', `${pull.base_ref} has its commits already`)
  if (pull.status !== 'open')
    return out(pull.status, pull.status === 'draft' ? 'it is a draft again' : 'it was closed')
  if (pull.head_sha !== entry.head_sha) return out('head_moved', 'it was pushed to')
  const around = contextOf(hearth.db, entry.repo_id)
  const by = restoreCaller(hearth, entry.repo_id, entry.queued_by, entry.token_id)
  const lost =
    by === null ? 'whoever queued it, or their token, is gone' : missingRight(hearth, by, around)
  if (by === null || lost !== null) return out('role', lost ?? '')
  const context = contextFor(hearth, around, pull.base_ref, { pull, by })
  const question = loadEvaluation(hearth, { pull, context, stats }, by)
  const [first, ...more] = currentBlockers(hearth, question).filter(
    ({ code }) => !HANDLED_BLOCKERS.has(code),
  )
  const blocker =
    first?.code === 'merge_window'
      ? (more.find(({ code }) => code !== 'merge_window') ?? first)
      : first
  if (blocker?.code === 'merge_window') {
    const at =
      typeof blocker.details.opens_at === 'string'
        ? Date.parse(blocker.details.opens_at)
        : Number.NaN
    return { is: 'shut', opens_at: Number.isFinite(at) ? at : null, note: blocker.message }
  }
  if (blocker) return out(blocker.code, blocker.message, question)
  if (!context.settings.merge_methods.includes(entry.method))
    return out('rule', `merging by ${entry.method} is not allowed here any more`, question)
  return { is: 'in', by, context, question }
}

/** Why a caller may not merge here; null when they may. */
function missingRight(hearth: Hearth, by: SignedIn, { full_name }: PullContext): string | null {
  try {
    decide(mergePull.access, by, { repo: full_name }, hearth.facts)
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return `whoever queued it may not merge it any more: ${error.message}`
  }
}
