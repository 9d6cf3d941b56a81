/**
 * Archives a repository without the operation that does it, for tests of what an archive refuses.
 */
import type { World } from '../../world.ts'

export const archiveOf = (world: World, repo_id: string): Promise<number> =>
  world.write((tx) => tx.db.run('UPDATE repos SET archived_at = ? WHERE id = ?', tx.now, repo_id))
