import { listAudit } from '#core/audit.ts'
import type { World } from '../../world.ts'

/** The actions in the audit log about a user, oldest first, without sign-ins. */
export const auditedActions = (world: World, id: string): string[] =>
  listAudit(world.hearth.db, { limit: 1000 })
    .filter((row) => row.target_id === id && row.action !== 'user.signed_in')
    .map((row) => row.action)
    .reverse()
