/**
 * Why a pull request cannot be merged now. Records and `merge_pull` both use this function, so they
 * never disagree. `merge_pull` refuses with the first blocker.
 */
import type { Settings } from '../pull-context.ts'
import type { OwnedPaths } from '../changes/owners.ts'
import type { Blocker } from '../schema.ts'
import {
  changesRequested,
  countApprovals,
  type ReviewStanding,
} from '../reviews/review-standing.ts'
import type { PullRow } from '../store-pulls.ts'
import type { Stats } from '../changes/store-stats.ts'

export type BlockerFacts = {
  readonly pull: Pick<PullRow, 'number' | 'status' | 'head_sha' | 'base_ref'>
  readonly archived: boolean
  readonly settings: Settings
  /** Null while they are not computed; merging computes them first. */
  readonly stats: Stats | null
  readonly standings: readonly ReviewStanding[]
  /** Paths without the approval that their owners must give. */
  readonly unapproved: readonly OwnedPaths[]
  /** The run of its acceptance checks on this head; null when there is none. */
  readonly checks: {
    readonly status: 'pending' | 'passed' | 'failed' | 'errored'
    readonly note: string | null
  } | null
  /** Unresolved threads on lines. */
  readonly open_conversations: number
}

const plural = (count: number, one: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${one}s`

export function listBlockers({
  pull,
  archived,
  settings,
  stats,
  standings,
  unapproved,
  checks,
  open_conversations,
}: BlockerFacts): Blocker[] {
  const blockers: Blocker[] = []
  const add = (code: string, message: string, details: Record<string, unknown> = {}) =>
    void blockers.push({ code, message, details })

  if (pull.status === 'closed' || pull.status === 'merged')
    add('not_open', `#${pull.number} is ${pull.status}`, { status: pull.status })
  if (blockers.length > 0) return blockers
  if (pull.status === 'draft') add('draft', `#${pull.number} is a draft; mark it ready first`)
  if (archived) add('archived', 'the repository is archived')
  if (pull.status !== 'draft' && pull.head_sha === null)
    add('not_ready', 'nothing has been pushed yet')
  if (stats?.conflict_paths) {
    add(
      'conflicts',
      `it conflicts with ${pull.base_ref} in ${plural(stats.conflict_paths.length, 'path')}; merge ${pull.base_ref} in and resolve them`,
      {
        paths: stats.conflict_paths.slice(0, 100),
      },
    )
  }
  if (stats && stats.behind > 0 && settings.require_up_to_date) {
    add(
      'base_moved',
      `${pull.base_ref} has moved since: ${plural(stats.behind, 'commit')} are missing here; merge ${pull.base_ref} in and push`,
      {
        behind: stats.behind,
        base_sha: stats.base_sha,
      },
    )
  }
  const counted = countApprovals(standings)
  if (counted < settings.required_approvals) {
    add(
      'approvals_missing',
      `it needs ${plural(settings.required_approvals, 'approval')} that count and has ${counted}`,
      {
        required: settings.required_approvals,
        counted,
      },
    )
  }
  if (unapproved.length > 0) {
    const [first] = unapproved
    const more =
      unapproved.length > 1 ? `, and ${plural(unapproved.length - 1, 'other group')} of paths` : ''
    add(
      'approvals_missing',
      `code owners must approve: ${first?.owners.join(' or ')} for ${first?.paths[0]}${(first?.count ?? 0) > 1 ? ` and ${plural((first?.count ?? 1) - 1, 'other path')}` : ''}${more}`,
      {
        required: settings.required_approvals,
        counted,
        owners: unapproved.slice(0, 100),
      },
    )
  }
  const requests = changesRequested(standings)
  if (requests.length > 0) {
    add('changes_requested', 'changes were requested', {
      reviews: requests.map(({ review }) => review.id),
    })
  }
  if (checks?.status === 'pending')
    add(
      'checks_pending',
      checks.note === null ? 'its checks have not finished' : `its checks wait: ${checks.note}`,
      { status: checks.status },
    )
  if (checks?.status === 'failed')
    add('checks_failed', 'its checks failed', { status: checks.status })
  if (checks?.status === 'errored')
    add(
      'checks_failed',
      `its checks did not finish${checks.note === null ? '' : `: ${checks.note}`}`,
      { status: checks.status },
    )
  if (settings.require_conversation_resolution && open_conversations > 0) {
    add(
      'conversations_open',
      `${plural(open_conversations, 'conversation')} on lines must be resolved first`,
      { open: open_conversations },
    )
  }
  return blockers
}

/** The order of blockers in a response; merging is refused with the first. */
const BLOCKER_ORDER = [
  'not_open',
  'draft',
  'archived',
  'not_ready',
  'conflicts',
  'base_moved',
  'approvals_missing',
  'changes_requested',
  'checks_pending',
  'checks_failed',
  'rule',
  'merge_window',
  'conversations_open',
  'statuses',
]

/** Sorts blockers of several sources. A settled pull request has `not_open` alone. */
export function sortBlockers(blockers: readonly Blocker[]): Blocker[] {
  const settled = blockers.filter(({ code }) => code === 'not_open')
  if (settled.length > 0) return settled
  const place = ({ code }: Blocker): number =>
    BLOCKER_ORDER.includes(code) ? BLOCKER_ORDER.indexOf(code) : BLOCKER_ORDER.length
  return blockers.toSorted((a, b) => place(a) - place(b))
}
