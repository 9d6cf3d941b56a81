/**
 * A team's review assignment as it is kept (what differs from the defaults, excluded people by id)
 * and as it is shown.
 */
import type { Hearth } from '#core/hearth.ts'
import { actorsOf } from '#features/accounts/index.ts'
import type { PickRules } from './pick-reviewers.ts'
import type { ReviewAssignment } from './schema.ts'
import type { TeamRow } from './store.ts'

export type Assignment = PickRules & {
  readonly enabled: boolean
  readonly include_child_teams: boolean
  readonly notify_team: boolean
}

export const DEFAULT_ASSIGNMENT: Assignment = {
  enabled: false,
  algorithm: 'round_robin',
  count: 1,
  skip_busy: false,
  busy_at: 5,
  include_child_teams: false,
  excluded: [],
  notify_team: true,
}

export const assignmentOf = (row: Pick<TeamRow, 'review_assignment'>): Assignment => ({
  ...DEFAULT_ASSIGNMENT,
  ...JSON.parse(row.review_assignment),
})

export const assignmentRecord = (hearth: Hearth, row: TeamRow): ReviewAssignment => {
  const { excluded, ...rest } = assignmentOf(row)
  return { ...rest, excluded: actorsOf(hearth, excluded).map(({ username }) => username) }
}
