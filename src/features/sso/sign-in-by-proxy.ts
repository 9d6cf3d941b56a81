import { publicWrite } from '#core/access.ts'
import type { Caller, UserCaller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type, type Static } from '#core/schema.ts'
import {
  findIdentity,
  findSignInById,
  NewSignIn,
  openSignIn,
  removeSignIn,
} from '#features/accounts/index.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { Refusal } from '#lib/errors.ts'
import { findAccount } from './find-account.ts'
import { followGroups } from './follow-groups.ts'
import type { Known } from './known.ts'

const Line = Type.String({ minLength: 1, maxLength: 1000 })

const Named = Type.Object(
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
 * Every page asks, so what the groups were when somebody was last here is remembered: writing
 * nothing is cheapest.
 */
const seen = new WeakMap<Hearth['settings'], Cache<string>>()

function haveGroupsChanged(
  { settings }: Pick<Hearth, 'settings'>,
  user_id: string,
  groups: readonly string[],
): boolean {
  let cache = seen.get(settings)
  if (!cache)
    seen.set(
      settings,
      (cache = createCache<string>({ maxSize: 1 << 20, sizeOf: (text) => text.length })),
    )
  const now = groups.join('\n')
  if (cache.get(user_id) === `=${now}`) return false
  cache.set(user_id, `=${now}`)
  return true
}

const knownOf = ({ id, username, name, email, groups }: Static<typeof Named>): Known => ({
  subject: id,
  username,
  name,
  email,
  email_verified: true,
  groups,
})

/** The sign-in that the proxy opened and that it may therefore end; null for any other. */
function openedByProxy(db: Db, caller: UserCaller): string | null {
  const row = caller.sign_in === null ? null : findSignInById(db, caller.sign_in)
  return row?.method === 'proxy' ? row.id : null
}

/**
 * Whoever signed in here by themselves stays who they are: that is how an administrator gets in
 * past the proxy's names.
 */
const staysAsTheyAre = (db: Db, caller: Caller): boolean =>
  caller.kind !== 'anonymous' && !(caller.kind === 'user' && openedByProxy(db, caller) !== null)

export const signInByProxy = operation({
  name: 'sign_in_by_proxy',
  summary:
    'Sign in on the website whom a trusted proxy names, or link that name to the own account. Answers with the sign-in, or none when it stands already.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ named: Named, link: Type.Optional(Type.Boolean()) }),
  output: Type.Object({ sign_in: Nullable(NewSignIn) }),
  secretAnswer: true,

  handler: async ({ hearth, db, caller, origin, write }, { named, link = false }) => {
    const provider = hearth.settings.sso.header
    if (provider === null) throw new Refusal('not_available', 'no proxy signs people in here')
    const known = knownOf(named)
    if (link) {
      if (caller.kind !== 'user' || caller.token !== null)
        throw new Refusal('unauthenticated', 'sign in first, to link this to your account')
      return write((tx) => {
        followGroups(tx, provider, findAccount(tx, provider, known, caller.id), known.groups)
        return { sign_in: null }
      })
    }
    if (
      caller.kind === 'user' &&
      findIdentity(db, provider.id, known.subject)?.user_id === caller.id
    ) {
      if (
        known.groups !== null &&
        provider.groups.length > 0 &&
        haveGroupsChanged(hearth, caller.id, known.groups)
      ) {
        await write((tx) => followGroups(tx, provider, caller, known.groups))
      }
      return { sign_in: null }
    }
    if (staysAsTheyAre(db, caller)) return { sign_in: null }
    return write((tx) => {
      const before = caller.kind === 'user' ? openedByProxy(tx.db, caller) : null
      if (before !== null) removeSignIn(tx.db, before)
      const user = findAccount(tx, provider, known, null)
      const sign_in = openSignIn(tx, user, { method: 'proxy', origin })
      followGroups(tx, provider, user, known.groups)
      return { sign_in }
    })
  },
})
