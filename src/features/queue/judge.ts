/**
 * Whether an entry may still be merged, by whoever queued it, at this moment. It is asked when
 * something about it happened, and once more in the transaction that lands it.
 */
import { decide } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import {
  callerAgain,
  contextFor,
  contextOf,
  currentBlockers,
  mergePull,
  standingsOf,
  type MergeQuestion,
  type PullContext,
  type PullRow,
} from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { EntryRow } from './store.ts'

/**
 * What the queue itself sees to: the candidate is built on the newest base, conflicts show when it
 * is built, and its own checks run the same commands on the very commit that lands.
 */
const OWN = new Set(['base_moved', 'conflicts', 'checks_pending', 'checks_failed'])

export type Judged =
  | {
      readonly is: 'out'
      readonly reason: string
      readonly note: string
      readonly question: MergeQuestion | null
    }
  /** Nothing is wrong, but nothing may be merged at this time of day. */
  | { readonly is: 'shut'; readonly opens_at: number | null; readonly note: string }
  | {
      readonly is: 'in'
      readonly by: SignedIn
      readonly context: PullContext
      readonly question: MergeQuestion
    }

/** `stats` are of the present pair of commits; null when these are gone. */
export function judge(
  hearth: Hearth,
  entry: EntryRow,
  pull: PullRow,
  stats: MergeQuestion['stats'],
): Judged {
  const out = (reason: string, note: string, question: MergeQuestion | null = null): Judged => ({
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
  const by = callerAgain(hearth, entry.repo_id, entry.queued_by, entry.token_id)
  const lost =
    by === null ? 'whoever queued it, or their token, is gone' : missingRight(hearth, by, around)
  if (by === null || lost !== null) return out('role', lost ?? '')
  const context = contextFor(hearth, around, pull.base_ref, { pull, by })
  const question = {
    pull,
    context,
    stats,
    standings: standingsOf(hearth, pull, context, stats),
    by,
  }
  const [first, ...more] = currentBlockers(hearth, question).filter(({ code }) => !OWN.has(code))
  const blocker =
    first?.code === 'merge_window'
      ? (more.find(({ code }) => code !== 'merge_window') ?? first)
      : first
  if (blocker?.code === 'merge_window') {
    const at =
      typeof blocker.details['opens_at'] === 'string'
        ? Date.parse(blocker.details['opens_at'])
        : Number.NaN
    return { is: 'shut', opens_at: Number.isFinite(at) ? at : null, note: blocker.message }
  }
  if (blocker) return out(blocker.code, blocker.message, question)
  if (!context.settings.merge_methods.includes(entry.method))
    return out('rule', `merging by ${entry.method} is not allowed here any more`, question)
  return { is: 'in', by, context, question }
}

/** Why somebody may not merge here any more; null when they may. */
function missingRight(hearth: Hearth, by: SignedIn, { full_name }: PullContext): string | null {
  try {
    decide(mergePull.access, by, { repo: full_name }, hearth.facts)
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return `whoever queued it may not merge it any more: ${error.message}`
  }
}
