/**
 * People of another forge. Each gets an actor that nobody can sign in as, shown as "ada (imported)",
 * until somebody says whose account it is.
 */
import type { Tx } from '#core/write.ts'
import {
  actorOf,
  confirmedAddresses,
  findUserByEmail,
  importedName,
  recordImportedPerson,
} from '#features/accounts/index.ts'
import { listMemberships } from '#features/workspaces/index.ts'
import type { ForeignPerson } from './forges/forge.ts'
import { findImportedPerson, insertImportedPerson } from './store-steps.ts'

const MAX_TEXT = 200
const MAX_URL = 500
/** Wrote what belongs to accounts that no longer exist. */
const GHOST: ForeignPerson = { id: 'ghost', login: 'ghost', name: null, email: null, url: null }

export type PeopleOf = {
  readonly repo_id: string
  readonly workspace_id: string
  /** The host of the other forge. */
  readonly host: string
}

const webAddress = (url: string | null): string | null => {
  const parsed = url === null || url.length > MAX_URL ? null : URL.parse(url)
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.href : null
}

/** The id of the actor that stands for a person here, who is added when new. */
export function personId(
  tx: Tx,
  { repo_id, host }: PeopleOf,
  given: ForeignPerson | null,
  mapped_to: string | null = null,
): string {
  const person = given ?? GHOST
  const there = findImportedPerson(tx.db, repo_id, host, person.id)
  if (there) return there.mapped_to ?? there.actor_id
  const name = person.name?.toWellFormed().trim().slice(0, MAX_TEXT) || null
  const login = person.login.slice(0, MAX_TEXT)
  const actor_id = recordImportedPerson(tx, { login, name })
  insertImportedPerson(tx, {
    actor_id,
    repo_id,
    host,
    foreign_id: person.id,
    login,
    name,
    url: webAddress(person.url),
    mapped_to,
  })
  return mapped_to ?? actor_id
}

/** The name here of a person there, who is added when new. */
export function shownName(tx: Tx, of: PeopleOf, given: ForeignPerson | null): string {
  const id = personId(tx, of, given)
  const { id: foreign_id, login } = given ?? GHOST
  const row = findImportedPerson(tx.db, of.repo_id, of.host, foreign_id)
  return row?.mapped_to === id ? actorOf(tx.hearth, id).username : importedName(login)
}

/**
 * Maps a collaborator to the member of the workspace who confirmed the same address. Others stay
 * imported names: what another forge says about an address must not put words into the mouth of a
 * stranger.
 */
export function mapCollaborator(tx: Tx, of: PeopleOf, person: ForeignPerson): void {
  const email = person.email?.toLowerCase() ?? null
  const user = email === null ? null : findUserByEmail(tx.db, email)
  const isMember =
    user !== null &&
    confirmedAddresses(tx.db, user.id).some((address) => address.toLowerCase() === email) &&
    listMemberships(tx.db, user.id).some(({ workspace_id }) => workspace_id === of.workspace_id)
  personId(tx, of, person, isMember ? user.id : null)
}
