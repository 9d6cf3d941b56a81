import type { Feature } from '#core/hearth.ts'
import { decideAuthorization } from './decide-authorization.ts'
import { exchangeToken } from './exchange-token.ts'
import { getAuthorization } from './get-authorization.ts'
import { listApplications } from './list-applications.ts'
import { registerClient } from './register-client.ts'
import { revokeApplication } from './revoke-application.ts'
import { revokeOauthToken } from './revoke-oauth-token.ts'
import { sweepApplications } from './sweep.ts'

export type { Application, AuthorizationParameters } from './schema.ts'
export { authorizationParameters } from './schema.ts'
export { decideAuthorization, getAuthorization, listApplications, revokeApplication }

/** Applications that ask people for access to their accounts: OAuth 2.1 for public clients. */
export const feature: Feature = {
  name: 'oauth',
  operations: [
    registerClient,
    exchangeToken,
    revokeOauthToken,
    getAuthorization,
    decideAuthorization,
    listApplications,
    revokeApplication,
  ],
  jobs: [sweepApplications],
}
