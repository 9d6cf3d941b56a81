/**
 * SQL that copies the rows of a workspace from one database to another. Tables and columns come
 * from the schema itself.
 */
import type { Db, DatabaseHandle, SqlValue, WritableDb } from '#core/db.ts'
import { BackupError } from '#backup'
import { parseTypeId } from '#lib/typeid.ts'
import {
  INITIAL_VALUES,
  GENERATED_COLUMNS,
  ACTOR_COLUMNS,
  TRANSFERRED_TABLES,
} from './transferred-tables.ts'

type Row = Record<string, SqlValue>
export type ActorRow = {
  readonly id: string
  readonly kind: 'user' | 'agent' | 'workspace'
  readonly username: string
  readonly name: string | null
  readonly on_behalf_of: string | null
}

const quoteName = (name: string): string => `"${name}"`

/** Lists the columns that can be written; generated columns cannot. */
const listColumns = (db: Db, table: string): string[] =>
  db
    .all<{ name: string; hidden: number }>('SELECT name, hidden FROM pragma_table_xinfo(?)', table)
    .filter(({ hidden }) => hidden === 0)
    .map(({ name }) => name)

const listForeignKeys = (db: Db, table: string, parent: string): string[] =>
  db
    .all<{ name: string }>(
      `SELECT "from" AS name FROM pragma_foreign_key_list(?) WHERE "table" = ?`,
      table,
      parent,
    )
    .map(({ name }) => name)

export const listTables = (db: Db): string[] =>
  db
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT GLOB '*_fts_*' ORDER BY name`,
    )
    .map(({ name }) => name)

function rowCondition(table: string): string {
  const repos = 'SELECT id FROM repos WHERE workspace_id = ?1 AND purged_at IS NULL'
  return (TRANSFERRED_TABLES[table] ?? '0')
    .replaceAll(':repos', repos)
    .replaceAll(':pulls', `SELECT id FROM pulls WHERE repo_id IN (${repos})`)
}

/** Lists the columns of the primary key; the row id stands for a missing one. */
function listKeyColumns(db: Db, table: string): string[] {
  const columns = db.all<{ name: string }>(
    'SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk',
    table,
  )
  return columns.length === 0 ? ['rowid'] : columns.map(({ name }) => name)
}

/**
 * Yields the rows of one table that belong to a workspace, each read once. Only keys are sorted,
 * because SQLite sorts in memory and rows hold whole texts. Records keep the order of their
 * creation, because the receiving database numbers them anew.
 */
function readRows(db: DatabaseHandle, table: string, workspace_id: string): Generator<Row, void> {
  const keys = listKeyColumns(db, table).map(quoteName)
  const order = table === 'records' ? ['seq'] : listColumns(db, table).slice(0, 2)
  // The LIMIT keeps SQLite from flattening the subquery, which would sort whole rows.
  return db.each<Row>(
    `SELECT rows.* FROM (SELECT ${keys.map((key, at) => `${key} AS key_${at}`).join(', ')}
       FROM ${quoteName(table)} WHERE ${rowCondition(table)}
       ORDER BY ${order.map(quoteName).join(', ')} LIMIT -1) keys
     CROSS JOIN ${quoteName(table)} rows ON ${keys.map((key, at) => `rows.${key} IS key_${at}`).join(' AND ')}`,
    workspace_id,
  )
}

export const findWorkspaceActor = (db: Db, slug: string): ActorRow | null =>
  db.one<ActorRow>(
    `SELECT * FROM actors WHERE username = ? AND kind = 'workspace'`,
    slug.toLowerCase(),
  )

/** Returns the workspace of an archive. */
export const findArchivedWorkspace = (db: Db): ActorRow | null =>
  db.one<ActorRow>(`SELECT actors.* FROM workspaces JOIN actors USING (id) LIMIT 1`)

/** Lists the object stores of a workspace's repositories. */
export const listStoresOfWorkspace = (db: Db, workspace_id: string): string[] =>
  db
    .all<{ store: string }>(
      `SELECT store FROM repos WHERE workspace_id = ?1 AND purged_at IS NULL
       UNION SELECT store FROM private_stores WHERE workspace_id = ?1 AND purged_at IS NULL ORDER BY store`,
      workspace_id,
    )
    .map(({ store }) => store)

export const countReposOfWorkspace = (db: Db, workspace_id: string): number =>
  db.one<{ n: number }>(
    'SELECT count(*) AS n FROM repos WHERE workspace_id = ? AND purged_at IS NULL AND parent_id IS NULL',
    workspace_id,
  )?.n ?? 0

export const isStoreNamed = (db: Db, store: string): boolean =>
  db.one(
    'SELECT 1 FROM repos WHERE store = ?1 UNION ALL SELECT 1 FROM private_stores WHERE store = ?1 LIMIT 1',
    store,
  ) !== null
export const hasActor = (db: Db, id: string): boolean =>
  db.one('SELECT 1 FROM actors WHERE id = ?', id) !== null
export const hasUser = (db: Db, id: string): boolean =>
  db.one('SELECT 1 FROM users WHERE id = ?', id) !== null

/** Lists all actors named by the rows of a workspace, and the owners of their agents. */
export function listNamedActors(db: Db, workspace_id: string): ActorRow[] {
  const ids = new Set<string>([workspace_id])
  for (const table of Object.keys(TRANSFERRED_TABLES)) {
    const columns = new Set([
      ...listForeignKeys(db, table, 'actors'),
      ...listForeignKeys(db, table, 'users'),
      ...(ACTOR_COLUMNS[table] ?? []),
    ])
    for (const column of columns) {
      const rows = db.all<{ id: string }>(
        `SELECT DISTINCT ${quoteName(column)} AS id FROM ${quoteName(table)} WHERE ${quoteName(column)} IS NOT NULL AND (${rowCondition(table)})`,
        workspace_id,
      )
      for (const { id } of rows) ids.add(id)
    }
  }
  const rows = db.all<ActorRow>(
    'SELECT * FROM actors WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify([...ids]),
  )
  const owners = rows.flatMap(({ on_behalf_of }) =>
    on_behalf_of !== null && !ids.has(on_behalf_of) ? [on_behalf_of] : [],
  )
  return [
    ...db.all<ActorRow>(
      'SELECT * FROM actors WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(owners),
    ),
    ...rows,
  ].sort((a, b) => (a.kind === 'agent' ? 1 : 0) - (b.kind === 'agent' ? 1 : 0))
}

export const listConfirmedEmails = (db: Db, user_id: string): string[] =>
  db
    .all<{ email: string }>(
      'SELECT email FROM emails WHERE user_id = ? AND verified_at IS NOT NULL ORDER BY is_primary DESC, email',
      user_id,
    )
    .map(({ email }) => email)

/** Finds the person with one of these confirmed email addresses. */
export const findPersonByEmail = (
  db: Db,
  emails: readonly string[],
): { id: string; username: string } | null =>
  db.one<{ id: string; username: string }>(
    `SELECT actors.id, actors.username FROM emails JOIN actors ON actors.id = emails.user_id WHERE emails.verified_at IS NOT NULL AND emails.email IN (SELECT value FROM json_each(?)) LIMIT 1`,
    JSON.stringify(emails),
  )

export const findPerson = (db: Db, username: string): { id: string; username: string } | null =>
  db.one<{ id: string; username: string }>(
    `SELECT actors.id, actors.username FROM actors JOIN users USING (id) WHERE username = ? AND kind = 'user'`,
    username.toLowerCase(),
  )

function insertRow(db: WritableDb, table: string, row: Row): void {
  const columns = Object.keys(row)
  db.run(
    `INSERT INTO ${quoteName(table)} (${columns.map(quoteName).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ...Object.values(row),
  )
}

/** Inserts an actor from another forge. The caller has checked that the name is free. */
export const insertActorRow = (db: WritableDb, row: ActorRow): void =>
  insertRow(db, 'actors', { ...row })

/** Inserts a person into an archive: a name and confirmed email addresses, without credentials. */
export function insertPlaceholderUser(
  db: WritableDb,
  id: string,
  emails: readonly string[],
  now: string,
): void {
  insertRow(db, 'users', { id, created_at: now, updated_at: now })
  emails.forEach((email, at) =>
    insertRow(db, 'emails', {
      user_id: id,
      email,
      is_primary: at === 0 ? 1 : 0,
      created_at: now,
      verified_at: now,
    }),
  )
}

export type PeopleMapping = {
  /** Ids of people in the target, by their ids in the rows. */
  readonly mapped: ReadonlyMap<string, string>
  /** People without an account in the target; rows that require an account are left out. */
  readonly nobody: ReadonlySet<string>
}

/**
 * Columns that become file and folder names here, which a foreign archive must not choose freely.
 */
const FILE_NAME_COLUMNS = new Set(['id', 'repo_id', 'run_id', 'workspace_id', 'pull_id', 'store'])

/** Lists the files that the rows of a workspace reference, by SHA-256. */
export const listBlobsOfWorkspace = (db: Db, workspace_id: string): string[] =>
  db
    .all<{ sha256: string }>(
      `SELECT sha256 FROM release_assets JOIN releases ON releases.id = release_assets.release_id JOIN repos ON repos.id = releases.repo_id
       WHERE repos.workspace_id = ?1 AND repos.purged_at IS NULL
       UNION SELECT sha256 FROM attachments JOIN repos ON repos.id = attachments.repo_id
       WHERE repos.workspace_id = ?1 AND repos.purged_at IS NULL
       UNION SELECT oid FROM lfs_objects JOIN repos ON repos.id = lfs_objects.repo_id
       WHERE repos.workspace_id = ?1 AND repos.purged_at IS NULL
       UNION SELECT sha256 FROM packages JOIN package_files ON package_files.package_id = packages.id
       WHERE packages.workspace_id = ?1
       UNION SELECT sha256 FROM packages JOIN image_blobs ON image_blobs.package_id = packages.id
       WHERE packages.workspace_id = ?1
       UNION SELECT readme_sha256 FROM packages
       WHERE workspace_id = ?1 AND readme_sha256 IS NOT NULL ORDER BY 1`,
      workspace_id,
    )
    .map(({ sha256 }) => sha256)

export const isPlainId = (value: unknown): boolean =>
  typeof value === 'string' && parseTypeId(value) !== null && value.length < 64

function requirePlainIds(table: string, row: Row): void {
  for (const [column, value] of Object.entries(row)) {
    if (value !== null && FILE_NAME_COLUMNS.has(column) && !isPlainId(value))
      throw new BackupError(
        `the archive has ${JSON.stringify(String(value).slice(0, 100))} as ${column} of ${table}, which is no id`,
      )
  }
}

/**
 * Copies the rows of a workspace table by table. Returns how many of each. Foreign keys are checked
 * at the end of the transaction.
 */
export function copyRows(
  from: DatabaseHandle,
  to: WritableDb,
  workspace_id: string,
  change: PeopleMapping,
): Record<string, number> {
  to.run('PRAGMA defer_foreign_keys = ON')
  const counts: Record<string, number> = {}
  const merged = new Set(change.mapped.values()).size < change.mapped.size
  for (const table of Object.keys(TRANSFERRED_TABLES)) {
    const given = new Set(GENERATED_COLUMNS[table] ?? [])
    const there = new Set(listColumns(to, table))
    const columns = listColumns(from, table).filter(
      (column) => there.has(column) && !given.has(column),
    )
    const accounts = listForeignKeys(to, table, 'users')
    // When two people become one, both may have starred a repository. All other rows stay distinct.
    const word = accounts.length > 0 || merged ? 'INSERT OR IGNORE' : 'INSERT'
    const sql = `${word} INTO ${quoteName(table)} (${columns.map(quoteName).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    let count = 0
    for (const row of readRows(from, table, workspace_id)) {
      requirePlainIds(table, row)
      if (accounts.some((column) => change.nobody.has(String(row[column])))) continue
      const fixed = INITIAL_VALUES[table] ?? {}
      count += to.run(
        sql,
        ...columns.map((column) =>
          column in fixed
            ? (fixed[column] ?? null)
            : replacePeople(row[column] ?? null, change.mapped),
        ),
      )
    }
    counts[table] = count
  }
  return counts
}

const PERSON = /usr_[0-7][0-9a-hjkmnp-tv-z]{25}/g

/** Replaces ids of people, which occur in columns, lists and event data. */
function replacePeople(value: SqlValue, mapped: PeopleMapping['mapped']): SqlValue {
  if (typeof value !== 'string' || !value.includes('usr_') || mapped.size === 0) return value
  return value.replace(PERSON, (id) => mapped.get(id) ?? id)
}

/** The repositories of a workspace, without the forks of pull requests. */
export const listReposOfWorkspace = (db: Db, workspace_id: string): { id: string }[] =>
  db.all<{ id: string }>(
    'SELECT id FROM repos WHERE workspace_id = ? AND parent_id IS NULL AND purged_at IS NULL ORDER BY id',
    workspace_id,
  )

export const listRecordNumbers = (
  db: Db,
  repo_id: string,
  after: number,
  limit: number,
): number[] =>
  db
    .all<{ number: number }>(
      'SELECT number FROM records WHERE repo_id = ? AND number > ? ORDER BY number LIMIT ?',
      repo_id,
      after,
      limit,
    )
    .map(({ number }) => number)

/** How many rows of all tables belong to the workspace of an archive. */
export const countRows = (db: Db, workspace_id: string): number =>
  Object.keys(TRANSFERRED_TABLES).reduce(
    (sum, table) =>
      sum +
      (db.one<{ n: number }>(
        `SELECT count(*) AS n FROM ${quoteName(table)} WHERE ${rowCondition(table)}`,
        workspace_id,
      )?.n ?? 0),
    0,
  )

/** The body of an issue or pull request. */
export const bodyOfRecord = (db: Db, repo_id: string, number: number): string =>
  db.one<{ body: string }>(
    `SELECT body FROM issues WHERE repo_id = ?1 AND number = ?2
     UNION ALL SELECT body FROM pulls WHERE repo_id = ?1 AND number = ?2`,
    repo_id,
    number,
  )?.body ?? ''

/** Runs reads in one transaction, so that they see one state. */
export function readSnapshot<T>(db: DatabaseHandle, read: () => T): T {
  db.exec('BEGIN')
  try {
    db.one('SELECT count(*) FROM sqlite_schema')
    return read()
  } finally {
    db.exec('COMMIT')
  }
}
