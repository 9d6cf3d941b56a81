/** People who are invited to an advisory, as clients see them. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import type { AdvisoryCollaborator } from './schema.ts'
import type { CollaboratorRow } from './store-collaborators.ts'

export const collaboratorRecord = (hearth: Hearth, row: CollaboratorRow): AdvisoryCollaborator => ({
  user: actorOf(hearth, row.user_id),
  added_by: actorOf(hearth, row.added_by),
  added_at: row.added_at,
})
