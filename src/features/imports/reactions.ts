/** Reactions while a repository is being imported. */
import { reaction } from '#core/events.ts'
import { gitPush, repoDeleted } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { endImport } from './cancel-import.ts'
import { findRunningImport } from './store.ts'

/**
 * Only the import may create branches meanwhile, because other branches could not be told from
 * imported ones.
 */
const refusePushes = reaction(
  'keep pushes out of a repository that is being copied',
  gitPush,
  (tx, event) => {
    const row =
      tx.caller === null || event.repo_id === null ? null : findRunningImport(tx.db, event.repo_id)
    if (row?.code_complete === 0) {
      throw conflict(
        'in_progress',
        'the repository is being copied from elsewhere: wait until that is done, or cancel it',
      )
    }
  },
)

const endWithDeletedRepo = reaction(
  'end the import into a repository that is deleted',
  repoDeleted,
  (tx, event) => {
    const row = event.repo_id === null ? null : findRunningImport(tx.db, event.repo_id)
    if (row) endImport(tx, row)
  },
)

export const reactions = [refusePushes, endWithDeletedRepo]
