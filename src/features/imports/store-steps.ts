/** SQL for the tables `import_steps`, `import_items` and `imported_people`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { StepName, StepState } from './schema.ts'

export type StepRow = {
  readonly import_id: string
  readonly name: StepName
  readonly state: Exclude<StepState, 'failed' | 'cancelled'>
  readonly cursor: string | null
  readonly done: number
  readonly total: number
}

export const isStepDone = ({ state }: StepRow): boolean =>
  state === 'done' || state === 'done_with_errors'

export const listSteps = (db: Db, import_id: string): StepRow[] =>
  db.all<StepRow>('SELECT * FROM import_steps WHERE import_id = ?', import_id)

export const findStep = (db: Db, import_id: string, name: StepName): StepRow | null =>
  db.one<StepRow>('SELECT * FROM import_steps WHERE import_id = ? AND name = ?', import_id, name)

export const insertStep = (tx: Tx, import_id: string, name: StepName): void =>
  void tx.db.run(
    `INSERT OR IGNORE INTO import_steps (import_id, name, state) VALUES (?, ?, 'waiting')`,
    import_id,
    name,
  )

export const setStep = (
  tx: Tx,
  import_id: string,
  name: StepName,
  change: Partial<Pick<StepRow, 'state' | 'cursor' | 'done' | 'total'>>,
): void =>
  void tx.db.run(
    `UPDATE import_steps SET state = coalesce(?, state), cursor = coalesce(?, cursor),
       done = coalesce(?, done), total = coalesce(?, total) WHERE import_id = ? AND name = ?`,
    change.state ?? null,
    change.cursor ?? null,
    change.done ?? null,
    change.total ?? null,
    import_id,
    name,
  )

/** Counts further items of a step that an import has. */
export const addToStep = (
  tx: Tx,
  import_id: string,
  name: StepName,
  more: { readonly done: number; readonly total: number },
): void =>
  void tx.db.run(
    `UPDATE import_steps SET state = 'running', done = done + ?, total = total + ?
     WHERE import_id = ? AND name = ?`,
    more.done,
    more.total,
    import_id,
    name,
  )

type ItemKind = 'milestone' | 'comment' | 'review' | 'file' | 'event'

/** The id here of a record that came; null when it has not. */
export const findItem = (
  db: Db,
  repo_id: string,
  kind: ItemKind,
  foreign_id: string,
): string | null =>
  db.one<{ our_id: string }>(
    'SELECT our_id FROM import_items WHERE repo_id = ? AND kind = ? AND foreign_id = ?',
    repo_id,
    kind,
    foreign_id,
  )?.our_id ?? null

export const insertItem = (
  tx: Tx,
  repo_id: string,
  kind: ItemKind,
  foreign_id: string,
  our_id: string,
): void =>
  void tx.db.run(
    'INSERT INTO import_items (repo_id, kind, foreign_id, our_id) VALUES (?, ?, ?, ?)',
    repo_id,
    kind,
    foreign_id,
    our_id,
  )

export type ImportedPersonRow = {
  readonly actor_id: string
  readonly repo_id: string
  readonly host: string
  readonly foreign_id: string
  readonly login: string
  readonly name: string | null
  readonly url: string | null
  readonly mapped_to: string | null
}

export const findImportedPerson = (
  db: Db,
  repo_id: string,
  host: string,
  foreign_id: string,
): ImportedPersonRow | null =>
  db.one<ImportedPersonRow>(
    'SELECT * FROM imported_people WHERE repo_id = ? AND host = ? AND foreign_id = ?',
    repo_id,
    host,
    foreign_id,
  )

export const insertImportedPerson = (tx: Tx, row: ImportedPersonRow): void =>
  void tx.db.run(
    `INSERT INTO imported_people (actor_id, repo_id, host, foreign_id, login, name, url, mapped_to)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.actor_id,
    row.repo_id,
    row.host,
    row.foreign_id,
    row.login,
    row.name,
    row.url,
    row.mapped_to,
  )

export const findPersonRow = (
  db: Db,
  repo_id: string,
  actor_id: string,
): ImportedPersonRow | null =>
  db.one<ImportedPersonRow>(
    'SELECT * FROM imported_people WHERE repo_id = ? AND actor_id = ?',
    repo_id,
    actor_id,
  )

/** Those who are not mapped first. */
export const listPeopleRows = (
  db: Db,
  repo_id: string,
  limit: number,
  offset: number,
): ImportedPersonRow[] =>
  db.all<ImportedPersonRow>(
    `SELECT * FROM imported_people WHERE repo_id = ?
     ORDER BY mapped_to IS NOT NULL, login, actor_id LIMIT ? OFFSET ?`,
    repo_id,
    limit,
    offset,
  )

export const setMappedTo = (tx: Tx, actor_id: string, user_id: string): void =>
  void tx.db.run('UPDATE imported_people SET mapped_to = ? WHERE actor_id = ?', user_id, actor_id)

/** Numbers of issues or pull requests of a repository after a number, in order. */
export const listNumbersAfter = (
  db: Db,
  repo_id: string,
  kind: 'issue' | 'pull' | null,
  after: number,
  limit: number,
): { number: number; kind: 'issue' | 'pull' }[] =>
  db.all(
    `SELECT number, kind FROM records WHERE repo_id = ?1 AND number > ?2
     AND (?3 IS NULL OR kind = ?3) ORDER BY number LIMIT ?4`,
    repo_id,
    after,
    kind,
    limit,
  )
