/**
 * Actors: the users, agents and workspaces that records name as the author of something.
 *
 * Users and workspaces share one namespace, because both are the first segment of a URL. One
 * exception: a user may give their own username to a workspace. Nobody else can take either name.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import type { Actor } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { RESERVED_SLUGS } from '#core/reserved-names.ts'
import { isSlug } from '#lib/slug.ts'
import { shownUsername } from './imported-people.ts'
import {
  findActor,
  insertActor,
  preloadActors,
  listNameHolders,
  removeActorRow,
  setActorName,
  setActorUsername,
  type ActorKind,
  type ActorWithOwner,
} from '../store/actors.ts'
import { findDeparted } from '../store/departed.ts'
import { removeTokensOf } from '../store/tokens.ts'

type Site = Pick<Hearth, 'db' | 'settings'>

export const avatarUrl = (site: Pick<Hearth, 'settings'>, id: string): string =>
  `${site.settings.site_url}/avatars/${id}.svg`

const KIND_BY_PREFIX: Record<string, ActorKind> = { usr: 'user', agt: 'agent', wsp: 'workspace' }

/**
 * Prefix of the username of a removed actor that history still names. No valid name starts with it.
 */
const REMOVED_PREFIX = '~'

const actorRecord = (site: Site, row: ActorWithOwner): Actor => ({
  id: row.id,
  kind: row.kind,
  username: row.username.startsWith(REMOVED_PREFIX) ? 'ghost' : shownUsername(row.username),
  name: row.name,
  avatar_url: avatarUrl(site, row.id),
  on_behalf_of:
    row.on_behalf_of === null
      ? null
      : { id: row.on_behalf_of, username: row.owner_username ?? 'ghost' },
})

/** The record of an actor without a row: the id stays, the name is `ghost`. */
const ghostActor = (site: Site, id: string): Actor => ({
  id,
  kind: KIND_BY_PREFIX[id.split('_')[0] ?? ''] ?? 'user',
  username: 'ghost',
  name: null,
  avatar_url: avatarUrl(site, id),
  on_behalf_of: null,
})

/** The actor of an id. Null, which stands for the service itself, gives null. */
export function actorOf(site: Site, id: string): Actor
export function actorOf(site: Site, id: string | null): Actor | null
export function actorOf(site: Site, id: string | null): Actor | null {
  if (id === null) return null
  const row = findActor(site.db, id)
  return row ? actorRecord(site, row) : ghostActor(site, id)
}

/** The actors of many ids in one query, in the order of the ids. */
export function actorsOf(site: Site, ids: readonly string[]): Actor[] {
  return readScope(site.db, () => {
    preloadActors(site.db, ids)
    return ids.map((id) => actorOf(site, id))
  })
}

export type ActorLookup = {
  (id: string): Actor
  (id: string | null): Actor | null
}

/** Loads the actors of a page in one query. Returns a function from id to record. */
export function loadActors(site: Site, ids: readonly (string | null)[]): ActorLookup {
  const unique = [...new Set(ids.filter((id) => id !== null))]
  const byId = new Map(actorsOf(site, unique).map((actor) => [actor.id, actor]))
  function lookup(id: string): Actor
  function lookup(id: string | null): Actor | null
  function lookup(id: string | null): Actor | null {
    return id === null ? null : (byId.get(id) ?? ghostActor(site, id))
  }
  return lookup
}

/** Whether no user or workspace has this name and the site does not reserve it. */
export const isUsernameFree = (db: Db, name: string): boolean =>
  !RESERVED_SLUGS.has(name) &&
  findDeparted(db, name) === null &&
  listNameHolders(db, name).length === 0

/** Throws 422 for a malformed name and 409 `already_exists` for a taken or reserved one. */
export function requireFreeName(
  db: Db,
  name: string,
  options: { field: 'username' | 'slug' | 'workspace'; owner_id?: string },
): void {
  const { field, owner_id } = options
  if (!isSlug(name))
    throw invalid(
      field,
      `${field} must be 1 to 39 lowercase letters and digits, with single hyphens between them`,
    )
  const elsewhere = findDeparted(db, name)
  if (elsewhere !== null)
    throw new Refusal('conflict', `${name} leads to ${elsewhere}: choose another name`, {
      reason: 'already_exists',
      field,
    })
  const taken =
    RESERVED_SLUGS.has(name) ||
    listNameHolders(db, name).some((holder) => !(holder.kind === 'user' && holder.id === owner_id))
  if (taken)
    throw new Refusal('conflict', `the name ${name} is taken; choose another`, {
      reason: 'already_exists',
      field,
    })
}

export type NewActor = {
  id: string
  kind: ActorKind
  username: string
  name: string | null
  on_behalf_of?: string | null
  /** For a workspace: its creator, who may give it their own username. */
  owner_id?: string
}

/**
 * Inserts an actor. Throws 422 and 409 as `requireFreeName` does. The agents feature checks the
 * names of agents itself.
 */
export function recordActor(tx: Tx, actor: NewActor): void {
  if (actor.kind !== 'agent')
    requireFreeName(tx.db, actor.username, {
      field: actor.kind === 'user' ? 'username' : 'slug',
      owner_id: actor.owner_id,
    })
  insertActor(tx.db, {
    id: actor.id,
    kind: actor.kind,
    username: actor.username,
    name: actor.name,
    on_behalf_of: actor.on_behalf_of ?? null,
  })
}

/**
 * Changes an actor's username or display name. A new username follows the same rules as a first
 * one. `owner_id` is as in `NewActor`.
 */
export function renameActor(
  tx: Tx,
  id: string,
  change: { username?: string; name?: string | null; owner_id?: string },
): void {
  const row = findActor(tx.db, id)
  if (!row) throw new TypeError(`there is no actor ${id}`)
  if (change.username !== undefined && change.username !== row.username) {
    if (row.kind !== 'agent')
      requireFreeName(tx.db, change.username, {
        field: row.kind === 'user' ? 'username' : 'slug',
        owner_id: change.owner_id,
      })
    setActorUsername(tx.db, id, change.username)
  }
  if (change.name !== undefined) setActorName(tx.db, id, change.name)
}

/**
 * Removes an actor with its tokens and frees its name. If history still refers to the actor, the
 * row stays and is shown as `ghost`.
 */
export function removeActor(tx: Tx, id: string): void {
  removeTokensOf(tx.db, id)
  if (removeActorRow(tx.db, id)) return
  setActorUsername(tx.db, id, `${REMOVED_PREFIX}${id}`)
  setActorName(tx.db, id, null)
}
