/** Who reads and changes formats of secrets: those who manage their owner, and security managers. */
import { eitherAs } from '#core/access.ts'

export const readsPatterns = eitherAs('admin', 'owner', {
  scope: 'security:read',
  workspaceScope: 'security:read',
  securityManager: true,
})
export const writesPatterns = eitherAs('admin', 'owner', {
  scope: 'security:write',
  workspaceScope: 'security:write',
  securityManager: true,
  person: true,
  writes: true,
})
