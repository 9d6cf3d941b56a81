/**
 * Single sign-on: OpenID Connect, LDAP and an authenticating proxy, with memberships from groups.
 */
import type { Feature } from '#core/hearth.ts'
import { MAX_NEXT_LENGTH } from './start-sign-on.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export { MAX_NEXT_LENGTH }

export const feature: Feature = {
  name: 'sso',
  operations: Object.values(operations),
}
