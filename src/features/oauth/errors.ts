/**
 * OAuth errors (RFC 6749 section 5.2, RFC 7591 section 3.2.2, RFC 8707 section 2). The error code
 * is the refusal's `reason`; the HTTP layer sends it as `error`.
 */
import { Refusal } from '#lib/errors.ts'

export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_token_type'
  | 'unsupported_response_type'
  | 'access_denied'

export const oauthError = (error: OAuthError, message: string): Refusal =>
  new Refusal('bad_request', message, { reason: error })
