import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { arePasskeysAvailable } from '../passkeys/passkeys.ts'
import { requireUserRow } from '../passwords/require-password.ts'
import { Security } from '../schema.ts'
import { listIdentities } from '../store/identities.ts'
import { countRecoveryCodes, findAuthenticator, listPasskeys } from '../store/second-factors.ts'

export const getSecurity = operation({
  name: 'get_security',
  summary:
    'How you sign in: password, second factors, passkeys and identities, for the page of settings.',
  route: null,
  access: personOnly(),
  input: Type.Object({}),
  output: Security,

  handler: ({ hearth, db, caller }) => {
    const user = requireUserRow(db, caller.id)
    return {
      has_password: user.password_hash !== null,
      two_factor_enabled: user.two_factor_enabled === 1,
      authenticator_since: findAuthenticator(db, caller.id)?.confirmed_at ?? null,
      recovery_codes_left: countRecoveryCodes(db, caller.id),
      passkeys: listPasskeys(db, caller.id).map(
        ({ id, name, backed_up, created_at, last_used_at }) => ({
          id,
          name,
          backed_up: backed_up === 1,
          created_at,
          last_used_at,
        }),
      ),
      passkeys_possible: arePasskeysAvailable(hearth),
      identities: listIdentities(db, caller.id).map(
        ({ provider, subject, label, created_at, last_used_at }) => ({
          provider,
          subject,
          label,
          created_at,
          last_used_at,
        }),
      ),
      primary: user.email,
    }
  },
})
