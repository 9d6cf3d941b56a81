/** Internal events of pull requests. They are not part of the timeline. */
import { internalEvent } from '#core/events.ts'
import { Type } from '#core/schema.ts'

/** The stats of the present commits of a pull request are stored. */
export const statsKnown = internalEvent(
  'pulls.stats_known',
  Type.Object({ pull_id: Type.String() }),
)

/** Tests of a candidate of the merge queue may have ended. `id` is that of the entry. */
export const candidateTested = internalEvent(
  'pulls.candidate_tested',
  Type.Object({ id: Type.String() }),
)

/** Alerts that may have blocked merges of a repository were closed. No timeline tells of them. */
export const standingAlertsClosed = internalEvent(
  'pulls.standing_alerts_closed',
  Type.Object({ repo_id: Type.String() }),
)
