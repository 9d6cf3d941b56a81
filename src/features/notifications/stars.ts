/** Stars as others see them. */
import type { Hearth } from '#core/hearth.ts'
import type { RepoRow } from '#features/repos/index.ts'
import { canRead } from './sight.ts'
import { countStars, listStarrers } from './store-stars.ts'

/** Those who lost sight of a private repository keep their stars, which do not show. */
export function countVisibleStars(hearth: Hearth, row: RepoRow): number {
  if (row.parent_id !== null) return 0
  return row.private === 0
    ? countStars(hearth.db, row.id)
    : listStarrers(hearth.db, row.id).filter((user_id) => canRead(hearth, row.id, user_id)).length
}
