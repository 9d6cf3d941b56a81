/**
 * A team's review assignment. The table stores what differs from the defaults, with excluded users
 * by id.
 */
import type { Hearth } from '#core/hearth.ts'
import { actorsOf } from '#features/accounts/index.ts'
import type { PickRules } from './pick-reviewers.ts'
import type { ReviewAssignment } from './schema.ts'
import type { TeamRow } from './store.ts'

export type ReviewAssignmentRules = PickRules & {
  readonly enabled: boolean
  readonly include_child_teams: boolean
  readonly notify_team: boolean
}

export const DEFAULT_ASSIGNMENT: ReviewAssignmentRules = {
  enabled: false,
  algorithm: 'round_robin',
  count: 1,
  skip_busy: false,
  busy_at: 5,
  include_child_teams: false,
  excluded: [],
  notify_team: true,
}

export const reviewAssignmentOf = (
  row: Pick<TeamRow, 'review_assignment'>,
): ReviewAssignmentRules => ({
  ...DEFAULT_ASSIGNMENT,
  ...JSON.parse(row.review_assignment),
})

export const assignmentRecord = (hearth: Hearth, row: TeamRow): ReviewAssignment => {
  const { excluded, ...rest } = reviewAssignmentOf(row)
  return { ...rest, excluded: actorsOf(hearth, excluded).map(({ username }) => username) }
}
