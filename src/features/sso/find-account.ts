/**
 * The account of somebody whom a provider knows: the one that is linked, or one that may be, or a
 * new one.
 */
import type { SignOnPolicy } from '#core/settings.ts'
import type { Tx } from '#core/write.ts'
import {
  findConfirmedRow,
  findIdentity,
  findUserById,
  isUsernameFree,
  isWithoutAccounts,
  putIdentity,
  readEmail,
  renameActor,
  signUp,
  tell,
  type UserRow,
} from '#features/accounts/index.ts'
import { conflict, forbidden, invalid, Refusal } from '#lib/errors.ts'
import { slugify } from '#lib/slug.ts'
import type { Known } from './known.ts'

const LONGEST_NAME = 80
const LONGEST_SLUG = 39

function link(tx: Tx, provider: SignOnPolicy, known: Known, user: UserRow): UserRow {
  putIdentity(tx.db, {
    provider: provider.id,
    subject: known.subject,
    user_id: user.id,
    label: known.email ?? known.username,
    now: tx.now,
  })
  tx.audit({
    action: 'user.identity_linked',
    target: { kind: 'user', id: user.id, name: user.username },
    data: { provider: provider.id, subject: known.subject },
  })
  tell(tx, user, `Sign-in through ${provider.name} was turned on`)
  return user
}

/** An address in its form here; null for what cannot be one. */
function addressOf(known: Known): string | null {
  try {
    return known.email === null ? null : readEmail(known.email)
  } catch {
    return null
  }
}

/** The name there, or the nearest to it that is free here. */
function freeUsername(tx: Tx, known: Known): string {
  const wanted = slugify(known.username.split('@')[0] ?? '') || 'person'
  for (let copy = 1; copy < 1000; copy++) {
    const ending = copy === 1 ? '' : `-${copy}`
    const name = wanted.slice(0, LONGEST_SLUG - ending.length).replace(/-+$/, '') + ending
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
 * Finds or makes the account. `link_to` is the signed-in person who asked to link theirs. Gives 409
 * `already_exists` where an account exists that may not be taken over, 403 `role` where no new ones
 * are made, 422 for a person without an address.
 */
export function findAccount(
  tx: Tx,
  provider: SignOnPolicy,
  known: Known,
  link_to: string | null,
): UserRow {
  const identity = findIdentity(tx.db, provider.id, known.subject)
  if (identity) {
    if (link_to !== null && identity.user_id !== link_to)
      throw conflict(
        'already_exists',
        `this sign-in at ${provider.name} belongs to another account here`,
      )
    putIdentity(tx.db, {
      provider: provider.id,
      subject: known.subject,
      user_id: identity.user_id,
      label: known.email ?? known.username,
      now: tx.now,
    })
    return requireRow(tx, identity.user_id)
  }
  if (link_to !== null) return link(tx, provider, known, requireRow(tx, link_to))
  const email = addressOf(known)
  const owner = email === null || !known.email_verified ? null : findConfirmedRow(tx.db, email)
  // Administrators link their accounts themselves: whoever runs the provider must not become one.
  if (owner && provider.link_by_email && owner.site_admin === 0)
    return link(tx, provider, known, owner)
  if (owner) {
    throw conflict(
      'already_exists',
      `there is an account with the address ${email} here already: sign in to it, and link ${provider.name} under Security in your settings`,
    )
  }
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
  const made = signUp(tx, {
    username: freeUsername(tx, known),
    email,
    password_hash: null,
    verified: known.email_verified && provider.trust_email,
    site_admin: false,
  })
  const name =
    known.name
      ?.replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, LONGEST_NAME) || null
  if (name !== null) renameActor(tx, made.id, { name })
  putIdentity(tx.db, {
    provider: provider.id,
    subject: known.subject,
    user_id: made.id,
    label: email,
    now: tx.now,
  })
  tx.audit({
    action: 'user.identity_linked',
    target: { kind: 'user', id: made.id, name: made.username },
    data: { provider: provider.id, subject: known.subject },
  })
  return requireRow(tx, made.id)
}
