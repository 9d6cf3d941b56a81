/**
 * Fills a data directory with many repositories, each a copy of one that was made through the
 * product: all its rows under new ids, some time earlier, and its objects. Straight into the
 * tables, because what is measured is how a forge does with much, not how it came by it.
 */
import { copyFileSync, linkSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { insertAudit, nowhere } from '#core/audit.ts'
import type { UserCaller } from '#core/caller.ts'
import type { DatabaseHandle } from '#core/db.ts'
import { call } from '#core/operation.ts'
import { writeAs } from '#core/write.ts'
import { insertUser } from '#features/accounts/store/users.ts'
import { addMember, createWorkspace } from '#features/workspaces/index.ts'
import { silentLog } from '#lib/log.ts'
import { timestamp } from '#lib/time.ts'
import { encodeSuffix, timeOf, typeId } from '#lib/typeid.ts'

export type LargeOptions = {
  readonly data: string
  /** The repository that is copied, by its full name, and the person who sees all. */
  readonly repo: string
  readonly owner: string
  readonly repositories: number
  readonly workspaces: number
  readonly people: number
  readonly notifications: number
  readonly audit: number
  readonly say: (line: string) => void
}

type Row = Record<string, string | number | null>
type Table = {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

const YEAR = 365 * 24 * 3_600_000
const ID = /\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b/g
/** Kept by triggers, or of no repository's own. */
const LEFT_OUT = new Set([
  'audit_log',
  'search_marks',
  'token_repos',
  'record_counts',
  'webhooks',
  'redirects',
  'project_repos',
  'notifications',
])
/** Of the members each workspace has so many; the owner belongs to the first few. */
const MEMBERS = 20
const OWN_WORKSPACES = 40
const REPOS_AT_ONCE = 200

const columnsOf = (db: DatabaseHandle, table: string): string[] =>
  db
    .all<{ name: string; hidden: number }>(`PRAGMA table_xinfo("${table}")`)
    .filter(({ hidden }) => hidden === 0)
    .map(({ name }) => name)

/** All rows that belong to a repository, in the order in which they may be put in. */
function templateOf(db: DatabaseHandle, repo_id: string): Table[] {
  const names = db
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'record_fts%'`,
    )
    .map(({ name }) => name)
  const tables = names
    .filter((name) => !LEFT_OUT.has(name))
    .flatMap((name): Table[] => {
      const all = columnsOf(db, name)
      // Numbered by the table itself.
      const columns = all.filter((column) => !(name === 'records' && column === 'seq'))
      const where =
        name === 'repos'
          ? 'id = ?'
          : all.includes('repo_id')
            ? 'repo_id = ?'
            : all.includes('pull_id')
              ? 'pull_id IN (SELECT id FROM pulls WHERE repo_id = ?)'
              : null
      if (where === null) return []
      const rows = db.all<Row>(
        `SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "${name}" WHERE ${where}`,
        repo_id,
      )
      return rows.length === 0 ? [] : [{ name, columns, rows }]
    })
  return tables
}

/** Copies a store; its packs are shared, as files that are never changed may be. */
function copyStore(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copyStore(join(from, entry.name), join(to, entry.name))
    else linkOrCopy(join(from, entry.name), join(to, entry.name))
  }
}

/** A file takes a limited number of links (65,000 on ext4). The copy takes those of later stores. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMLINK') throw error
    copyFileSync(from, to)
  }
}

const shifted = (time: string, by: number): string => timestamp(Math.max(0, Date.parse(time) - by))
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Fills it; gives how much there is of what. */
export async function makeLarge(options: LargeOptions): Promise<Record<string, number>> {
  const { data, say } = options
  const hearth = openHearth({
    settings: loadConfig({ data }, { HEARTH_WORKSPACES_PER_PERSON: '1000' }).settings({
      host: '127.0.0.1',
      port: 0,
    }),
    log: silentLog,
  })
  const db = hearth.database
  try {
    const [workspaceName = '', repoName = ''] = options.repo.split('/')
    const template = db.one<{ id: string; workspace_id: string }>(
      `SELECT r.id, r.workspace_id FROM repos r JOIN actors a ON a.id = r.workspace_id WHERE a.username = ? AND r.name = ? AND r.parent_id IS NULL`,
      workspaceName,
      repoName,
    )
    const owner = db.one<{ id: string }>(
      `SELECT id FROM actors WHERE username = ? AND kind = 'user'`,
      options.owner,
    )
    if (!template || !owner) throw new Error(`${options.repo} is not there to be copied`)
    const caller: UserCaller = {
      kind: 'user',
      id: owner.id,
      username: options.owner,
      verified: true,
      suspended: false,
      site_admin: true,
      token: null,
      sign_in: null,
    }

    const people = await writeAs(hearth, null, (tx) =>
      Array.from({ length: options.people }, (_, n) => {
        const id = typeId('usr', tx.now_ms)
        insertUser(tx, {
          id,
          username: `person-${n}`,
          email: `person-${n}@example.com`,
          name: `Person ${n}`,
          password_hash: null,
          verified: true,
          site_admin: false,
        })
        return id
      }),
    )
    const workspaces: string[] = []
    for (let n = 0; n < options.workspaces; n++) {
      const by: UserCaller =
        n < OWN_WORKSPACES
          ? caller
          : {
              ...caller,
              id: people[n % people.length] ?? owner.id,
              username: `person-${n % people.length}`,
              site_admin: false,
            }
      workspaces.push((await call(hearth, createWorkspace, by, { slug: `team-${n}` })).id)
    }
    await writeAs(hearth, null, (tx) => {
      for (const [n, workspace_id] of workspaces.entries()) {
        for (let m = 0; m < MEMBERS; m++) {
          const user_id = people[(n * 7 + m * 13 + 1) % people.length] ?? owner.id
          if (
            !tx.db.one(
              'SELECT 1 FROM members WHERE workspace_id = ? AND user_id = ?',
              workspace_id,
              user_id,
            )
          )
            addMember(tx, { workspace_id, user_id, role: 'member' })
        }
      }
    })
    say(`${people.length} people, ${workspaces.length} workspaces`)

    const tables = templateOf(db, template.id)
    say(
      `each repository has ${tables.map(({ name, rows }) => `${rows.length} ${name}`).join(', ')}`,
    )
    const own = new Set<string>([
      template.id,
      ...tables.flatMap(({ rows }) =>
        rows
          .map(({ id }) => id)
          .filter((id): id is string => typeof id === 'string' && /^[a-z]{2,4}_/.test(id)),
      ),
    ])
    const triggers = db.all<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`,
    )
    db.exec('PRAGMA foreign_keys = OFF')
    db.exec('PRAGMA synchronous = OFF')
    db.exec('PRAGMA cache_size = -400000')
    for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`)
    const inserts = new Map(
      tables.map(({ name, columns }) => [
        name,
        `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ]),
    )
    const step = (2 * YEAR) / options.repositories
    let store = join(data, 'repos', template.id)
    // The oldest first: ids grow with the time, and a table that grows at its end is quick.
    for (let n = options.repositories; n > 0; n--) {
      if ((options.repositories - n) % REPOS_AT_ONCE === 0)
        db.exec(n === options.repositories ? 'BEGIN' : 'COMMIT; BEGIN')
      const by = Math.round(n * step)
      const ids = new Map<string, string>()
      for (const id of own) {
        const [prefix = ''] = id.split('_')
        ids.set(id, idAt(prefix, (timeOf(id) ?? 0) - by))
      }
      ids.set(template.workspace_id, workspaces[n % workspaces.length] ?? template.workspace_id)
      const renamed = (
        value: string | number | null,
        table: string,
        column: string,
      ): string | number | null => {
        if (typeof value !== 'string')
          return table === 'repos' && column === 'private' ? (n % 3 === 0 ? 1 : 0) : value
        if (table === 'repos' && column === 'name') return `project-${n}`
        if (TIME.test(value)) return shifted(value, by)
        return value.includes('_') ? value.replace(ID, (id) => ids.get(id) ?? id) : value
      }
      for (const { name, columns, rows } of tables) {
        const sql = inserts.get(name) ?? ''
        for (const row of rows)
          db.run(sql, ...columns.map((column) => renamed(row[column] ?? null, name, column)))
      }
      const copy = join(data, 'repos', ids.get(template.id) ?? '')
      copyStore(store, copy)
      store = copy
      if (n % 2000 === 0) say(`${n} repositories to go`)
    }
    db.exec('COMMIT; BEGIN')
    db.exec(`DELETE FROM record_counts`)
    db.exec(
      `INSERT INTO record_counts (repo_id, kind, open, count) SELECT repo_id, kind, open, count(*) FROM records GROUP BY repo_id, kind, open`,
    )
    db.exec(
      `INSERT INTO record_fts (rowid, repo, title, body) SELECT r.seq, substr(r.repo_id, 5), r.title, i.body FROM records r JOIN issues i USING (repo_id, number) WHERE r.repo_id <> '${template.id}'`,
    )
    db.exec(
      `UPDATE workspaces SET repositories_count = (SELECT count(*) FROM repos WHERE workspace_id = workspaces.id AND parent_id IS NULL AND deleted_at IS NULL)`,
    )
    for (const { sql } of triggers) db.exec(sql)
    db.exec('COMMIT')
    say('repositories are there')
    notify(db, owner.id, options.notifications)
    audit(db, [...people, owner.id], workspaces, options.audit)
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA foreign_keys = ON')
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const count = (table: string): number =>
      db.one<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? 0
    return Object.fromEntries(
      [
        'repos',
        'events',
        'records',
        'comments',
        'users',
        'workspaces',
        'notifications',
        'audit_log',
      ].map((table) => [table, count(table)]),
    )
  } finally {
    await hearth.close()
  }
}

/** An id of an earlier time; the product's own never goes back. */
function idAt(prefix: string, time: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  for (let at = 5, rest = Math.max(1, time); at >= 0; at--, rest = Math.floor(rest / 256))
    bytes[at] = rest % 256
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return `${prefix}_${encodeSuffix(bytes)}`
}

/** Notifications about issues all over, most of them read. */
function notify(db: DatabaseHandle, user_id: string, most: number): void {
  db.exec('BEGIN')
  const rows = db.all<{ repo_id: string; number: number; id: string; updated_at: string }>(
    `SELECT r.repo_id, r.number, i.id, r.updated_at FROM issues i JOIN records r USING (repo_id, number) WHERE r.number <= 3 ORDER BY r.seq LIMIT ?`,
    most,
  )
  rows.forEach(({ repo_id, number, id, updated_at }, n) => {
    db.run(
      `INSERT INTO notifications (id, user_id, repo_id, subject, kind, number, subject_id, reason, unread, done, updated_at, created_at) VALUES (?, ?, ?, ?, 'issue', ?, ?, 'subscribed', ?, ?, ?, ?)`,
      idAt('ntf', Date.parse(updated_at)),
      user_id,
      repo_id,
      `issue ${repo_id} ${number}`,
      number,
      id,
      n % 10 === 0 ? 1 : 0,
      n % 10 === 1 ? 1 : 0,
      updated_at,
      updated_at,
    )
  })
  db.exec('COMMIT')
}

/** Entries of the audit log, one after the other, chained as they are. */
function audit(
  db: DatabaseHandle,
  actors: readonly string[],
  workspaces: readonly string[],
  most: number,
): void {
  db.exec('BEGIN')
  const now = Date.now()
  for (let n = 0; n < most; n++) {
    const id = actors[n % actors.length] ?? ''
    const caller: UserCaller = {
      kind: 'user',
      id,
      username: `person-${n % actors.length}`,
      verified: true,
      suspended: false,
      site_admin: false,
      token: null,
      sign_in: null,
    }
    insertAudit(
      db,
      {
        action: n % 3 === 0 ? 'token.created' : 'repo.settings_changed',
        target: { kind: 'user', id, name: caller.username },
        workspace_id: workspaces[n % workspaces.length] ?? null,
        data: { after: { name: `change ${n}` } },
      },
      { caller, origin: { ...nowhere, ip: '192.0.2.1' }, now: timestamp(now), now_ms: now },
    )
  }
  db.exec('COMMIT')
}
