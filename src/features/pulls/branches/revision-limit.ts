/**
 * How often agents may push again by themselves (`max_revisions`). A push counts when it replaces a
 * head whose checks failed or on which changes were requested. A comment or push by a person begins
 * the count anew.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import {
  branchOf,
  repoById,
  type moveRules,
  type RepoRow,
  type RuleViolation,
} from '#features/repos/index.ts'
import { withChecks } from '../checks/overall-checks.ts'
import { contextOf } from '../pull-context.ts'
import { listReviewRows } from '../reviews/store-reviews.ts'
import {
  findPullOfFork,
  isActive,
  listActiveByBranch,
  setAgentRevisions,
  type PullRow,
} from '../store-pulls.ts'

/** Whether a push to this pull request answers failed checks or requested changes. */
function isRevision(hearth: Hearth, pull: PullRow): boolean {
  const { repo_id, number, head_sha, status } = pull
  if (status !== 'open' || head_sha === null) return false
  if (withChecks(hearth, repo_id, [{ number, head_sha }], 'failed').length > 0) return true
  return listReviewRows(hearth.db, pull.id).some(
    (review) =>
      review.verdict === 'request_changes' &&
      review.dismissed_at === null &&
      review.commit_sha === head_sha,
  )
}

/** Counts a push that moves the head of a pull request. Called before the head moves. */
export function countRevision(tx: Tx, pull: PullRow): void {
  const { caller } = tx
  if (caller?.kind === 'user' && pull.agent_revisions > 0) setAgentRevisions(tx, pull.id, 0)
  else if (caller?.kind === 'agent' && isRevision(tx.hearth, pull))
    setAgentRevisions(tx, pull.id, pull.agent_revisions + 1)
}

/** The active pull requests whose head is this branch. */
function pullsOfHead(hearth: Hearth, row: RepoRow, branch: string): readonly PullRow[] {
  if (row.parent_id === null) return listActiveByBranch(hearth.db, row.id, branch)
  const pull = findPullOfFork(hearth.db, row.id)
  return pull !== null && isActive(pull) && pull.head_ref === branch ? [pull] : []
}

type Moves = Parameters<(typeof moveRules)['with']>[0]
type RequestedMoves = Parameters<Moves['ask']>[1]

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

function findViolations(
  hearth: Hearth,
  row: RepoRow,
  by: SignedIn,
  updates: RequestedMoves['updates'],
): RuleViolation[] {
  if (by.kind !== 'agent') return []
  const { max_revisions } = contextOf(hearth.db, row.parent_id ?? row.id).settings
  return updates.flatMap(({ name, new: after }) => {
    const branch = branchOf(name)
    if (branch === null || after === null) return []
    return pullsOfHead(hearth, row, branch)
      .filter((pull) => pull.agent_revisions >= max_revisions && isRevision(hearth, pull))
      .map((pull): RuleViolation => {
        const message =
          max_revisions === 0
            ? `agents may not revise #${pull.number} by themselves (setting max_revisions); ask a person to push or to change the setting`
            : `an agent revised #${pull.number} ${times(pull.agent_revisions)} after failed checks or requested changes, the limit here (setting max_revisions); a comment or push by a person allows further ones`
        return {
          ref: name,
          message,
          line: message,
          details: { type: 'max_revisions', number: pull.number, max_revisions, message },
        }
      })
  })
}

/** The limit as one of the rules that every push must pass. */
export const revisionLimit: Moves = {
  ask: async (hearth, { row, by, updates }) => ({
    violations: findViolations(hearth, row, by, updates),
    recheck: (tx, remaining) => {
      const current = repoById(tx.db, row.id)
      return current === null ? [] : findViolations(tx.hearth, current, by, remaining)
    },
  }),
  keeps: () => false,
}
