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
  /** Changed files that say how agents and checks work, which a person must approve. */
  readonly instructions: readonly string[]
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

const blocker = (
  code: string,
  message: string,
  details: Record<string, unknown> = {},
): Blocker => ({
  code,
  message,
  details,
})

export function listBlockers(facts: BlockerFacts): Blocker[] {
  const { pull, archived, settings, open_conversations } = facts
  if (pull.status === 'closed' || pull.status === 'merged')
    return [blocker('not_open', `#${pull.number} is ${pull.status}`, { status: pull.status })]
  const blockers: Blocker[] = []
  if (pull.status === 'draft')
    blockers.push(blocker('draft', `#${pull.number} is a draft; mark it as ready first`))
  if (archived) blockers.push(blocker('archived', 'the repository is archived'))
  if (pull.status !== 'draft' && pull.head_sha === null)
    blockers.push(blocker('not_ready', 'nothing has been pushed yet'))
  blockers.push(...commitBlockers(facts), ...reviewBlockers(facts), ...checkBlockers(facts))
  if (settings.require_conversation_resolution && open_conversations > 0)
    blockers.push(
      blocker(
        'conversations_open',
        `${plural(open_conversations, 'conversation')} on lines must be resolved first`,
        { open: open_conversations },
      ),
    )
  return blockers
}

/** Conflicts with the base, and a head that lacks commits of it. */
function commitBlockers({ pull, stats, settings }: BlockerFacts): Blocker[] {
  const blockers: Blocker[] = []
  if (stats?.conflict_paths)
    blockers.push(
      blocker(
        'conflicts',
        `it has conflicts with ${pull.base_ref} in ${plural(stats.conflict_paths.length, 'file')}; resolve them, or merge ${pull.base_ref} and push`,
        { paths: stats.conflict_paths.slice(0, 100) },
      ),
    )
  if (stats && stats.behind > 0 && settings.require_up_to_date)
    blockers.push(
      blocker(
        'base_moved',
        `the branch is ${plural(stats.behind, 'commit')} behind ${pull.base_ref}; update it first`,
        { behind: stats.behind, base_sha: stats.base_sha },
      ),
    )
  return blockers
}

/** Missing approvals of reviewers and code owners, and requested changes. */
function reviewBlockers({
  settings,
  standings,
  unapproved,
  instructions,
}: BlockerFacts): Blocker[] {
  const blockers: Blocker[] = []
  const required = settings.required_approvals
  const counted = countApprovals(standings)
  if (counted < required)
    blockers.push(
      blocker(
        'approvals_missing',
        `it needs ${plural(required, 'approval')} and has ${counted} that count`,
        { required, counted },
      ),
    )
  if (unapproved.length > 0)
    blockers.push(
      blocker('approvals_missing', ownersText(unapproved), {
        required,
        counted,
        owners: unapproved.slice(0, 100),
      }),
    )
  if (instructions.length > 0)
    blockers.push(
      blocker('approvals_missing', 'a person must approve how it changes agents and checks', {
        required,
        counted,
        instruction_paths: instructions,
      }),
    )
  const requests = changesRequested(standings)
  if (requests.length > 0)
    blockers.push(
      blocker('changes_requested', 'changes were requested', {
        reviews: requests.map(({ review }) => review.id),
      }),
    )
  return blockers
}

function ownersText(unapproved: readonly OwnedPaths[]): string {
  const [first] = unapproved
  const count = first?.count ?? 0
  const paths = count > 1 ? ` and ${plural(count - 1, 'other path')}` : ''
  const groups =
    unapproved.length > 1 ? `, and ${plural(unapproved.length - 1, 'other group')} of paths` : ''
  return `code owners must approve: ${first?.owners.join(' or ')} for ${first?.paths[0]}${paths}${groups}`
}

/** Acceptance checks that run, failed, or could not be completed. */
function checkBlockers({ checks }: BlockerFacts): Blocker[] {
  if (checks === null || checks.status === 'passed') return []
  const { status, note } = checks
  if (status === 'pending')
    return [
      blocker(
        'checks_pending',
        note === null ? 'its checks have not finished' : `its checks wait: ${note}`,
        { status },
      ),
    ]
  return [
    blocker(
      'checks_failed',
      status === 'failed'
        ? 'its checks failed'
        : `its checks did not finish${note === null ? '' : `: ${note}`}`,
      { status },
    ),
  ]
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
