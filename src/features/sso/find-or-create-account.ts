/**
 * Finds the account for an identity of a provider: the linked one, one that may be linked, or a new
 * one.
 */
import type { SignOnPolicy } from '#core/settings.ts'
import type { Tx } from '#core/write.ts'
import {
  findUserRowByEmail,
  findIdentity,
  findUserById,
  isUsernameFree,
  isWithoutAccounts,
  putIdentity,
  readEmail,
  renameActor,
  signUp,
  sendSecurityNotice,
  type UserRow,
} from '#features/accounts/index.ts'
import { conflict, forbidden, invalid, Refusal } from '#lib/errors.ts'
import { slugify } from '#lib/slug.ts'
import type { ProviderIdentity } from './provider-identity.ts'

const MAX_NAME_LENGTH = 80
const MAX_SLUG_LENGTH = 39

/** Stores a new identity of a user, and the audit entry. */
function recordIdentity(
  tx: Tx,
  provider: SignOnPolicy,
  identity: ProviderIdentity,
  user: { id: string; username: string },
): void {
  putIdentity(tx.db, {
    provider: provider.id,
    subject: identity.subject,
    user_id: user.id,
    label: identity.email ?? identity.username,
    now: tx.now,
  })
  tx.audit({
    action: 'user.identity_linked',
    target: { kind: 'user', id: user.id, name: user.username },
    data: { provider: provider.id, subject: identity.subject },
  })
}

function linkAccount(
  tx: Tx,
  provider: SignOnPolicy,
  identity: ProviderIdentity,
  user: UserRow,
): UserRow {
  recordIdentity(tx, provider, identity, user)
  sendSecurityNotice(tx, user, 'Sign-in through {provider} was turned on', {
    provider: provider.name,
  })
  return user
}

/** The normalised email address. Null when it is missing or invalid. */
function emailOf(signOnIdentity: ProviderIdentity): string | null {
  try {
    return signOnIdentity.email === null ? null : readEmail(signOnIdentity.email)
  } catch {
    return null
  }
}

/** A free username that is equal or close to the one at the provider. */
function freeUsername(tx: Tx, signOnIdentity: ProviderIdentity): string {
  const wanted = slugify(signOnIdentity.username.split('@')[0] ?? '') || 'person'
  for (let copy = 1; copy < 1000; copy++) {
    const ending = copy === 1 ? '' : `-${copy}`
    const name = wanted.slice(0, MAX_SLUG_LENGTH - ending.length).replace(/-$/, '') + ending
    if (isUsernameFree(tx.db, name)) return name
  }
  throw new Refusal('conflict', 'no username is free for this person', { reason: 'already_exists' })
}

function requireRow(tx: Tx, id: string): UserRow {
  const row = findUserById(tx.db, id)
  if (!row) throw new Refusal('unauthenticated', 'this account is gone')
  return row
}

/**
 * Finds or creates the account. `link_to` is the signed-in user who asked to link an identity.
 * Throws 409 `already_exists` for an account that may not be taken over, 403 `role` where sign-on
 * creates no accounts, and 422 for an identity without an email address.
 */
export function findOrCreateAccount(
  tx: Tx,
  provider: SignOnPolicy,
  signOnIdentity: ProviderIdentity,
  link_to: string | null,
): UserRow {
  const identity = findIdentity(tx.db, provider.id, signOnIdentity.subject)
  if (identity) {
    if (link_to !== null && identity.user_id !== link_to)
      throw conflict(
        'already_exists',
        `this sign-in at ${provider.name} belongs to another account here`,
      )
    putIdentity(tx.db, {
      provider: provider.id,
      subject: signOnIdentity.subject,
      user_id: identity.user_id,
      label: signOnIdentity.email ?? signOnIdentity.username,
      now: tx.now,
    })
    return requireRow(tx, identity.user_id)
  }
  if (link_to !== null) return linkAccount(tx, provider, signOnIdentity, requireRow(tx, link_to))
  const email = emailOf(signOnIdentity)
  const owner =
    email === null || !signOnIdentity.email_verified ? null : findUserRowByEmail(tx.db, email)
  // Administrators must link their accounts themselves. Otherwise the operator of the provider
  // could become an administrator.
  if (owner && provider.link_by_email && owner.site_admin === 0)
    return linkAccount(tx, provider, signOnIdentity, owner)
  if (owner) {
    throw conflict(
      'already_exists',
      `there is an account with the address ${email} here already: sign in to it, and link ${provider.name} under Security in your settings`,
    )
  }
  return createAccount(tx, provider, signOnIdentity, email)
}

/** Throws 403 `role` where sign-on creates no accounts, and 422 without an email address. */
function createAccount(
  tx: Tx,
  provider: SignOnPolicy,
  identity: ProviderIdentity,
  email: string | null,
): UserRow {
  if (!provider.sign_up || tx.hearth.settings.sign_up === 'closed' || isWithoutAccounts(tx.db))
    throw forbidden(
      'role',
      `you have no account here yet, and signing in through ${provider.name} makes none; ask an administrator`,
    )
  if (email === null)
    throw invalid(
      'email',
      `${provider.name} gives no email address for you, and an account needs one`,
    )
  const user = signUp(tx, {
    username: freeUsername(tx, identity),
    email,
    password_hash: null,
    verified: identity.email_verified && provider.trust_email,
    site_admin: false,
  })
  const name = displayNameOf(identity)
  if (name !== null) renameActor(tx, user.id, { name })
  recordIdentity(tx, provider, { ...identity, email }, user)
  return requireRow(tx, user.id)
}

/** The display name on one line. Null when it is empty. */
function displayNameOf({ name }: ProviderIdentity): string | null {
  const line = (name ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.slice(0, MAX_NAME_LENGTH) || null
}
