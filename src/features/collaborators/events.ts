/**
 * Events about the collaborators of a repository. Names and data are part of the public interface.
 */
import { event } from '#core/events.ts'
import { Nullable, Type } from '#core/schema.ts'
import { RoleWord } from '#features/repos/schema.ts'

const data = Type.Object({
  username: Type.String(),
  role: Nullable(RoleWord),
  previous_role: Nullable(RoleWord),
})

export const collaboratorAdded = event(
  'repo.collaborator_added',
  data,
  ({ username, role }, by) => `${by} gave ${username} the role ${role ?? ''}`,
)
export const collaboratorRoleChanged = event(
  'repo.collaborator_role_changed',
  data,
  ({ username, role, previous_role }, by) =>
    `${by} changed the role of ${username} from ${previous_role ?? ''} to ${role ?? ''}`,
)
export const collaboratorRemoved = event('repo.collaborator_removed', data, ({ username }, by) =>
  username === by ? `${by} left the repository` : `${by} removed ${username}`,
)

export const events = [collaboratorAdded, collaboratorRoleChanged, collaboratorRemoved]
