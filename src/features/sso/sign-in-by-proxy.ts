import { publicWrite } from '#core/access.ts'
import type { Caller, UserCaller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type, type Static } from '#core/schema.ts'
import { cache } from '#core/service.ts'
import {
  findIdentity,
  findSignInById,
  NewSignIn,
  beginSignIn,
  removeSignIn,
} from '#features/accounts/index.ts'
import { Refusal } from '#lib/errors.ts'
import { findOrCreateAccount } from './find-or-create-account.ts'
import { syncGroupMemberships } from './sync-group-memberships.ts'
import type { ProviderIdentity } from './provider-identity.ts'

const Line = Type.String({ minLength: 1, maxLength: 1000 })

const ProxyIdentity = Type.Object(
  {
    id: Line,
    username: Line,
    name: Nullable(Line),
    email: Nullable(Line),
    groups: Nullable(Type.Array(Type.String({ maxLength: 100_000 }), { maxItems: 1000 })),
  },
  { description: 'Whom a proxy of the settings names in its headers.' },
)

/**
 * The last groups of each user. Every page request runs this operation, so a cache avoids a write
 * when the groups did not change.
 */
const lastGroups = cache<string>('sso_proxy_groups', {
  maxSize: 1 << 20,
  sizeOf: (text) => text.length,
})

function haveGroupsChanged(
  hearth: Pick<Hearth, 'services'>,
  user_id: string,
  groups: readonly string[],
): boolean {
  // The prefix keeps the value of a user without groups from being empty.
  const now = `=${groups.join('\n')}`
  if (lastGroups(hearth).get(user_id) === now) return false
  lastGroups(hearth).set(user_id, now)
  return true
}

const providerIdentityOf = ({
  id,
  username,
  name,
  email,
  groups,
}: Static<typeof ProxyIdentity>): ProviderIdentity => ({
  subject: id,
  username,
  name,
  email,
  email_verified: true,
  groups,
})

/**
 * The current sign-in if the proxy created it, so that the proxy may replace it. Otherwise null.
 */
function findProxySignIn(db: Db, caller: UserCaller): string | null {
  const row = caller.sign_in === null ? null : findSignInById(db, caller.sign_in)
  return row?.method === 'proxy' ? row.id : null
}

/**
 * Whether the caller authenticated without the proxy. Such a sign-in is kept, so that an
 * administrator can use a local account behind the proxy.
 */
const hasOwnSignIn = (db: Db, caller: Caller): boolean =>
  caller.kind !== 'anonymous' && !(caller.kind === 'user' && findProxySignIn(db, caller) !== null)

export const signInByProxy = operation({
  name: 'sign_in_by_proxy',
  summary:
    'Sign in on the website whom a trusted proxy names, or link that name to the own account. Answers with the sign-in, or none when it stands already.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ named: ProxyIdentity, link: Type.Optional(Type.Boolean()) }),
  output: Type.Object({ sign_in: Nullable(NewSignIn) }),
  secretAnswer: true,

  handler: async ({ hearth, db, caller, origin, write }, { named, link = false }) => {
    const provider = hearth.settings.sso.header
    if (provider === null) throw new Refusal('not_available', 'no proxy signs people in here')
    const identity = providerIdentityOf(named)
    if (link) {
      if (caller.kind !== 'user' || caller.token !== null)
        throw new Refusal('unauthenticated', 'sign in first, to link this to your account')
      return write((tx) => {
        syncGroupMemberships(
          tx,
          provider,
          findOrCreateAccount(tx, provider, identity, caller.id),
          identity.groups,
        )
        return { sign_in: null }
      })
    }
    if (
      caller.kind === 'user' &&
      findIdentity(db, provider.id, identity.subject)?.user_id === caller.id
    ) {
      if (
        identity.groups !== null &&
        provider.groups.length > 0 &&
        haveGroupsChanged(hearth, caller.id, identity.groups)
      ) {
        await write((tx) => syncGroupMemberships(tx, provider, caller, identity.groups))
      }
      return { sign_in: null }
    }
    if (hasOwnSignIn(db, caller)) return { sign_in: null }
    return write((tx) => {
      const before = caller.kind === 'user' ? findProxySignIn(tx.db, caller) : null
      if (before !== null) removeSignIn(tx.db, before)
      const user = findOrCreateAccount(tx, provider, identity, null)
      const sign_in = beginSignIn(tx, user, { method: 'proxy', origin })
      syncGroupMemberships(tx, provider, user, identity.groups)
      return { sign_in }
    })
  },
})
