/** The table `actors`: users, workspaces and agents. Only accounts writes it. */
import type { Db, WritableDb } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'

export type ActorKind = 'user' | 'agent' | 'workspace'
export type ActorRow = {
  id: string
  kind: ActorKind
  username: string
  name: string | null
  on_behalf_of: string | null
}
export type ActorWithOwner = ActorRow & { owner_username: string | null }

const SELECT = `SELECT a.id, a.kind, a.username, a.name, a.on_behalf_of, o.username AS owner_username
  FROM actors a LEFT JOIN actors o ON o.id = a.on_behalf_of`

export const findActor = (db: Db, id: string): ActorWithOwner | null =>
  memo(db, 'actor', id, () => db.one<ActorWithOwner>(`${SELECT} WHERE a.id = ?`, id))

export const findActors = (db: Db, ids: readonly string[]): ActorWithOwner[] =>
  db.all<ActorWithOwner>(
    `${SELECT} WHERE a.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )

/** Preloads the actors of a page into the current read scope. */
export const preloadActors = (db: Db, ids: readonly string[]): void =>
  preload(
    db,
    'actor',
    ids,
    () => new Map(findActors(db, ids).map((row) => [row.id, row])),
    () => null,
  )

/** A user or workspace by its name. */
export const findActorByName = (
  db: Db,
  kind: 'user' | 'workspace',
  username: string,
): ActorRow | null =>
  db.one<ActorRow>(
    'SELECT id, kind, username, name, on_behalf_of FROM actors WHERE username = ? AND kind = ?',
    username,
    kind,
  )

/** The holders of a name: at most a user and a workspace of that user. */
export const listNameHolders = (db: Db, username: string): ActorRow[] =>
  db.all<ActorRow>(
    `SELECT id, kind, username, name, on_behalf_of FROM actors WHERE username = ?
     AND kind IN ('user', 'workspace')`,
    username,
  )

export const insertActor = (db: WritableDb, row: ActorRow): void =>
  void db.run(
    'INSERT INTO actors (id, kind, username, name, on_behalf_of) VALUES (?, ?, ?, ?, ?)',
    row.id,
    row.kind,
    row.username,
    row.name,
    row.on_behalf_of,
  )

export const setActorName = (db: WritableDb, id: string, name: string | null): void =>
  void db.run('UPDATE actors SET name = ? WHERE id = ?', name, id)

/** Renames an actor and its agents, whose names begin with it. */
export function setActorUsername(db: WritableDb, id: string, username: string): void {
  db.run('UPDATE actors SET username = ? WHERE id = ?', username, id)
  db.run(
    `UPDATE actors SET username = ? || substr(username, instr(username, '/'))
     WHERE on_behalf_of = ?`,
    username,
    id,
  )
}

/** Deletes the row. False when it stays because another table refers to it. */
export function removeActorRow(db: WritableDb, id: string): boolean {
  try {
    return db.run('DELETE FROM actors WHERE id = ?', id) > 0
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
      return false
    throw error
  }
}

/** The ids of all actors with a name. Agents of one user may share theirs. */
export const listActorIds = (db: Db, username: string): string[] => {
  const named = db.all<{ id: string }>(
    `SELECT id FROM actors WHERE username = ? AND kind IN ('user', 'workspace')`,
    username,
  )
  if (!username.includes('/')) return named.map((row) => row.id)
  return db
    .all<{ id: string }>(
      `SELECT a.id FROM actors o JOIN actors a ON a.on_behalf_of = o.id WHERE o.kind = 'user'
       AND o.username = ? AND a.username = ?`,
      username.slice(0, username.indexOf('/')),
      username,
    )
    .map((row) => row.id)
}
