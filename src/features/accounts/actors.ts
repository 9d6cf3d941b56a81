/**
 * Actors: who did something, as records show it.
 *
 * People and workspaces share one space of names, because both are the first part of an address.
 * One case is let through: a person may give their own username to a workspace, as the first
 * account's workspace does. Nobody else can take either.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { look } from '#core/look.ts'
import type { Actor } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { isSlug, RESERVED_SLUGS } from '#lib/slug.ts'
import {
  findActor,
  insertActor,
  keepActors,
  listNameHolders,
  removeActorRow,
  setActorName,
  setActorUsername,
  type ActorKind,
  type ActorWithOwner,
} from './store-actors.ts'
import { removeTokensOf } from './store-tokens.ts'

type Site = Pick<Hearth, 'db' | 'settings'>

export const avatarUrl = (site: Pick<Hearth, 'settings'>, id: string): string =>
  `${site.settings.site_url}/avatars/${id}.svg`

const KINDS: Record<string, ActorKind> = { usr: 'user', agt: 'agent', wsp: 'workspace' }

/**
 * Begins the username of an actor that is gone but still named in what it wrote; no name can begin
 * so.
 */
const GONE = '~'

const record = (site: Site, row: ActorWithOwner): Actor => ({
  id: row.id,
  kind: row.kind,
  username: row.username.startsWith(GONE) ? 'ghost' : row.username,
  name: row.name,
  avatar_url: avatarUrl(site, row.id),
  on_behalf_of:
    row.on_behalf_of === null
      ? null
      : { id: row.on_behalf_of, username: row.owner_username ?? 'ghost' },
})

/** What is shown of someone who is not there any more: the id stays, the name does not. */
const ghost = (site: Site, id: string): Actor => ({
  id,
  kind: KINDS[id.split('_')[0] ?? ''] ?? 'user',
  username: 'ghost',
  name: null,
  avatar_url: avatarUrl(site, id),
  on_behalf_of: null,
})

/** The actor of an id; null for null, which stands for the service itself. */
export function actorOf(site: Site, id: string): Actor
export function actorOf(site: Site, id: string | null): Actor | null
export function actorOf(site: Site, id: string | null): Actor | null {
  if (id === null) return null
  const row = findActor(site.db, id)
  return row ? record(site, row) : ghost(site, id)
}

/** Many at once, in the order of the ids. */
export function actorsOf(site: Site, ids: readonly string[]): Actor[] {
  return look(site.db, () => {
    keepActors(site.db, ids)
    return ids.map((id) => actorOf(site, id))
  })
}

/** Whether nobody has this name and it is not an address of the site itself. */
export const isUsernameFree = (db: Db, name: string): boolean =>
  !RESERVED_SLUGS.has(name) && listNameHolders(db, name).length === 0

/**
 * Gives 422 for a name that breaks the form of names, 409 `already_exists` for one that is taken or
 * reserved.
 */
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
  /** For a workspace: the person who makes it and may give it their own name. */
  owner_id?: string
}

/**
 * Adds an actor. Gives 422 and 409 as `requireFreeName` does; an agent's name is checked by its own
 * feature.
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
 * Changes how an actor is called. A new username is held to the same rules as a first one;
 * `owner_id` as for a new workspace.
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
 * Takes an actor away with its tokens, and its name is free again. One that is named in history
 * stays there as `ghost`.
 */
export function removeActor(tx: Tx, id: string): void {
  removeTokensOf(tx.db, id)
  if (removeActorRow(tx.db, id)) return
  setActorUsername(tx.db, id, `${GONE}${id}`)
  setActorName(tx.db, id, null)
}
