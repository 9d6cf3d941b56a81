import { event } from '#core/events.ts'
import { Type } from '#core/schema.ts'
import { WorkspaceRoleName } from './schema.ts'

const data = Type.Object({ username: Type.String(), role: WorkspaceRoleName })

export const memberAdded = event(
  'member.added',
  data,
  ({ username, role }, by) =>
    `${by} added ${username} as ${role === 'owner' ? 'an owner' : 'a member'}`,
)

export const memberRemoved = event('member.removed', data, ({ username }, by) =>
  username === by ? `${by} left` : `${by} removed ${username}`,
)
