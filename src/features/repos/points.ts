/**
 * Where features that come later have a say in repositories.
 */
import { point } from '#core/points.ts'
import type { Tx } from '#core/write.ts'

/**
 * Takes away at most `limit` rows that belong to a purged repository, and gives how many. It is asked again until it gives
 * none, each time in a transaction of its own, so that the end of a large repository keeps nobody waiting. Only what may be
 * many belongs here; the rest goes with the repository's row.
 */
export const belongings = point<(tx: Tx, repo_id: string, limit: number) => number>('repos.belongings')
