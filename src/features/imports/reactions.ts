/** What happens to a repository while it is being copied. */
import { reaction } from '#core/events.ts'
import { gitPush, repoDeleted } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { endImport } from './cancel-import.ts'
import { findRunning } from './store.ts'

/**
 * Only the import itself makes branches meanwhile: what others push could not be told from what
 * came.
 */
const keepOut = reaction(
  'keep pushes out of a repository that is being copied',
  gitPush,
  (tx, event) => {
    if (tx.caller !== null && event.repo_id !== null && findRunning(tx.db, event.repo_id)) {
      throw conflict(
        'in_progress',
        'the repository is being copied from elsewhere: wait until that is done, or cancel it',
      )
    }
  },
)

const endWithRepo = reaction(
  'end the import into a repository that is deleted',
  repoDeleted,
  (tx, event) => {
    const row = event.repo_id === null ? null : findRunning(tx.db, event.repo_id)
    if (row) endImport(tx, row)
  },
)

export const reactions = [keepOut, endWithRepo]
