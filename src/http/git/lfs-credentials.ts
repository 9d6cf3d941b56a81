/** The caller of a Git LFS client: by a token of one transfer, or by a credential as git has it. */
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { gitCallerOf } from './git-credentials.ts'
import { isLfsToken, readLfsToken, type LfsClaims } from './lfs-token.ts'

export const invalidTransferToken = (): Refusal =>
  new Refusal('unauthenticated', 'this transfer has expired or its token has ended: try again', {
    reason: 'invalid_token',
  })

/** The caller of a request, by a transfer's token or by a credential of git. Throws 401. */
export function lfsCallerOf(
  hearth: Hearth,
  request: Request,
): { readonly caller: Caller; readonly claims: LfsClaims | null } {
  const header = request.headers.get('authorization')
  if (header === null || !isLfsToken(header))
    return { caller: gitCallerOf(hearth, request), claims: null }
  const claims = readLfsToken(hearth, header)
  if (claims === null) throw invalidTransferToken()
  if (claims.credential === null) return { caller: anonymous, claims }
  const caller = hearth.callers.byCredential(claims.credential)
  if (caller === null) throw invalidTransferToken()
  return { caller, claims }
}

/** Whether the request has a valid credential, for rate limits. */
export function isLfsCallerSignedIn(hearth: Hearth, request: Request): boolean {
  return lfsCallerOf(hearth, request).caller.kind !== 'anonymous'
}
