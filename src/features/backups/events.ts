/** Events of backups. They belong to the site, not to a workspace. */
import { event } from '#core/events.ts'
import { Id, Nullable, OneOf, Type } from '#core/schema.ts'

/** The subject of site events. */
export const SITE = { workspace_id: 'site', repo_id: null } as const

export const backupFailed = event(
  'backup.failed',
  Type.Object({
    backup: Id('bkp'),
    name: Nullable(Type.String()),
    place: Type.String(),
    what: OneOf(['create', 'verify'], {
      description: 'Whether it could not be made, or was found not to be whole.',
    }),
    error: Type.String(),
  }),
  ({ what, error }) =>
    what === 'create' ? `a backup failed: ${error}` : `a backup is not sound: ${error}`,
)

export const events = [backupFailed]
