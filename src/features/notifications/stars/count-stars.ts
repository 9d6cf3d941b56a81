/** Counts of visible stars. */
import type { Hearth } from '#core/hearth.ts'
import type { RepoRow } from '#features/repos/index.ts'
import { canRead } from '../delivery/visibility.ts'
import { countStars, listStarrers } from './store-stars.ts'

/**
 * The number of visible stars. People who lost access to a private repository keep theirs, which do
 * not count.
 */
export function countVisibleStars(hearth: Hearth, row: RepoRow): number {
  if (row.parent_id !== null) return 0
  return row.private === 0
    ? countStars(hearth.db, row.id)
    : listStarrers(hearth.db, row.id).filter((user_id) => canRead(hearth, row.id, user_id)).length
}
