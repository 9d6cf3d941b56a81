/**
 * SQL of searches, on the index and on the forge's database attached as `forge`, which knows what
 * is visible.
 */
import type { DatabaseHandle, Db, SqlValue } from '#core/db.ts'
import { likePattern } from '#lib/like-pattern.ts'
import { firstChunk } from './chunks.ts'
import type { Filters, SearchScope } from './find-request.ts'
import type { SearchType } from './query.ts'
import { repoWord } from './store-texts.ts'

const json = (values: readonly unknown[]): string => JSON.stringify(values)

export type SqlCondition = { readonly where: string; readonly params: SqlValue[] }

/** Collects conditions joined by AND. */
class Conditions {
  readonly parts: string[] = []
  readonly params: SqlValue[] = []

  add(sql: string, ...params: SqlValue[]): this {
    this.parts.push(sql)
    this.params.push(...params)
    return this
  }

  get sql(): SqlCondition {
    return { where: this.parts.join(' AND ') || '1', params: this.params }
  }
}

/** The conditions on repositories (`p`): visible to the caller, and within the filters. */
export function repoConditions(
  type: SearchType,
  scope: SearchScope,
  filters: Filters,
): SqlCondition {
  // What is purged was deleted before. An index has these conditions, so a count reads no rows.
  const all = new Conditions().add('p.parent_id IS NULL AND p.deleted_at IS NULL')
  if (!scope.typesInPrivate.includes(type)) all.add('p.private = 0')
  else {
    const own =
      '(p.workspace_id IN (SELECT value FROM json_each(?)) OR p.id IN (SELECT value FROM json_each(?)))'
    if (scope.only === null)
      all.add(`(p.private = 0 OR ${own})`, json(scope.workspaces), json(scope.granted))
    else
      all.add(
        `(p.private = 0 OR (${own} AND p.id IN (SELECT value FROM json_each(?))))`,
        json(scope.workspaces),
        json(scope.granted),
        json(scope.only),
      )
  }
  if (scope.onlyRepo !== null) all.add('p.id = ?', scope.onlyRepo)
  if (type === 'wiki') all.add(`coalesce(json_extract(p.settings, '$.wiki_enabled'), 1)`)
  const { repos, workspaces, notRepos, notWorkspaces, named, archived } = filters
  if (repos !== null || workspaces !== null) {
    all.add(
      '(p.id IN (SELECT value FROM json_each(?)) OR p.workspace_id IN (SELECT value FROM json_each(?)))',
      json(repos ?? []),
      json(workspaces ?? []),
    )
  }
  if (notRepos.length > 0) all.add('p.id NOT IN (SELECT value FROM json_each(?))', json(notRepos))
  if (notWorkspaces.length > 0)
    all.add('p.workspace_id NOT IN (SELECT value FROM json_each(?))', json(notWorkspaces))
  if (!archived)
    all.add('(p.archived_at IS NULL OR p.id IN (SELECT value FROM json_each(?)))', json(named))
  return all.sql
}

/** Conditions on issues and pull requests (`r`, with `x` for the pull request). */
export function recordConditions(kind: 'issue' | 'pull', filters: Filters): SqlCondition {
  const all = new Conditions().add('r.kind = ?', kind)
  const flag = (not: boolean): string => (not ? 'NOT ' : '')
  for (const { values, not } of filters.authors)
    all.add(`r.author_id ${flag(not)}IN (SELECT value FROM json_each(?))`, json(values))
  for (const { values, not } of filters.assignees) {
    all.add(
      `${flag(not)}EXISTS (SELECT 1 FROM forge.assignees a WHERE a.repo_id = r.repo_id AND a.number = r.number AND a.actor_id IN (SELECT value FROM json_each(?)))`,
      json(values),
    )
  }
  for (const { key, not } of filters.labels) {
    all.add(
      `${flag(not)}EXISTS (SELECT 1 FROM forge.record_labels c CROSS JOIN forge.labels l ON l.id = c.label_id WHERE c.repo_id = r.repo_id AND c.number = r.number AND l.key = ?)`,
      key,
    )
  }
  for (const { key, not } of filters.milestones) {
    all.add(
      `${flag(not)}EXISTS (SELECT 1 FROM forge.milestones m WHERE m.id = r.milestone_id AND m.key = ?)`,
      key,
    )
  }
  if (filters.unassigned !== null) {
    all.add(
      `${flag(filters.unassigned)}EXISTS (SELECT 1 FROM forge.assignees a WHERE a.repo_id = r.repo_id AND a.number = r.number)`,
    )
  }
  for (const { word, not } of filters.is) {
    if (word === 'open') all.add(`r.open = ${not ? 0 : 1}`)
    else if (word === 'closed') all.add(`r.open = ${not ? 1 : 0}`)
    else if (word === 'merged' || word === 'draft')
      all.add(`coalesce(x.status, '') ${not ? '<>' : '='} '${word}'`)
  }
  return all.sql
}

export type ScoredRow = { readonly id: number; readonly score: number }

/** A column filter of FTS5 over words: https://www.sqlite.org/fts5.html#fts5_column_filters */
export const recordTextQuery = (
  kind: 'issue' | 'pull',
  repo_ids: readonly string[] | null,
  wanted: string | null,
): string | null => {
  if (wanted === null) return null
  const within =
    repo_ids === null
      ? ''
      : ` AND repo : (${repo_ids.map((id) => `"${repoWord(id)}"`).join(' OR ')})`
  return `kind : "${kind}"${within} AND {title body comments} : ${wanted}`
}

export const listTextRows = (db: Db, match: string, before: number, limit: number): number[] =>
  db
    .all<{ id: number }>(
      'SELECT rowid AS id FROM text_fts WHERE text_fts MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
      match,
      before,
      limit,
    )
    .map(({ id }) => id)

/** Like `listTextRows`, with scores, the lower the better. A title counts most, a comment least. */
export const listScoredRows = (db: Db, match: string, limit: number): ScoredRow[] =>
  db.all<ScoredRow>(
    'SELECT rowid AS id, bm25(text_fts, 0, 0, 10, 3, 1) AS score FROM text_fts WHERE text_fts MATCH ? ORDER BY rowid DESC LIMIT ?',
    match,
    limit,
  )

export const listRecordRows = (db: Db, before: number, limit: number): number[] =>
  db
    .all<{ id: number }>(
      'SELECT seq AS id FROM forge.records WHERE seq < ? ORDER BY seq DESC LIMIT ?',
      before,
      limit,
    )
    .map(({ id }) => id)

/** Rows of these repositories only. */
export const listRecordRowsOf = (
  db: Db,
  repo_ids: readonly string[],
  before: number,
  limit: number,
): number[] =>
  db
    .all<{ id: number }>(
      'SELECT seq AS id FROM forge.records WHERE repo_id IN (SELECT value FROM json_each(?)) AND seq < ? ORDER BY seq DESC LIMIT ?',
      json(repo_ids),
      before,
      limit,
    )
    .map(({ id }) => id)

export type RecordRow = {
  readonly seq: number
  readonly repo_id: string
  readonly number: number
  readonly updated_at: string
}

/**
 * Returns the candidates that are visible and match the filters. `without` is an index query whose
 * matches are excluded.
 */
export function filterRecordRows(
  db: Db,
  ids: readonly number[],
  repos: SqlCondition,
  records: SqlCondition,
  without: string | null,
): RecordRow[] {
  return db.all<RecordRow>(
    `SELECT r.seq, r.repo_id, r.number, r.updated_at FROM json_each(?) j
     CROSS JOIN forge.records r ON r.seq = j.value CROSS JOIN forge.repos p ON p.id = r.repo_id
     LEFT JOIN forge.pulls x ON x.repo_id = r.repo_id AND x.number = r.number
     WHERE ${records.where} AND ${repos.where}${without === null ? '' : ' AND r.seq NOT IN (SELECT rowid FROM text_fts WHERE text_fts MATCH ?)'}`,
    json(ids),
    ...records.params,
    ...repos.params,
    ...(without === null ? [] : [without]),
  )
}

export type RepoHit = {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly topics: string
  readonly language: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly pushed_at: string | null
}

export const listNameRows = (
  db: Db,
  match: string,
  after: number,
  limit: number,
): { id: number; repo_id: string }[] =>
  db.all(
    'SELECT f.rowid AS id, n.repo_id FROM name_fts f CROSS JOIN names n ON n.id = f.rowid WHERE name_fts MATCH ? AND f.rowid > ? ORDER BY f.rowid LIMIT ?',
    match,
    after,
    limit,
  )

const SELECT_REPO = `SELECT p.id, p.name, a.username AS slug, p.description, p.topics, p.language, p.created_at, p.updated_at, p.pushed_at
  FROM forge.repos p JOIN forge.actors a ON a.id = p.workspace_id`

export const listReposById = (db: Db, ids: readonly string[], repos: SqlCondition): RepoHit[] =>
  db.all<RepoHit>(
    `${SELECT_REPO} WHERE p.id IN (SELECT value FROM json_each(?)) AND ${repos.where}`,
    json(ids),
    ...repos.params,
  )

export const listReposAfter = (
  db: Db,
  after: string,
  limit: number,
  repos: SqlCondition,
): RepoHit[] =>
  db.all<RepoHit>(
    `${SELECT_REPO} WHERE p.id > ? AND ${repos.where} ORDER BY p.id LIMIT ?`,
    after,
    ...repos.params,
    limit,
  )

export type PersonHit = {
  readonly id: string
  readonly username: string
  readonly name: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** Lists people whose username or name contains all pieces and none of `not`. */
export function listPeople(
  db: Db,
  pieces: readonly string[],
  not: readonly string[],
  limit: number,
): PersonHit[] {
  const all = new Conditions().add(`a.kind = 'user' AND u.suspended_at IS NULL`)
  const there = `(a.username LIKE ? ESCAPE '\\' OR coalesce(a.name, '') LIKE ? ESCAPE '\\')`
  for (const piece of pieces) all.add(there, likePattern(piece), likePattern(piece))
  for (const piece of not) all.add(`NOT ${there}`, likePattern(piece), likePattern(piece))
  const { where, params } = all.sql
  return db.all<PersonHit>(
    `SELECT u.id, a.username, a.name, u.created_at, u.updated_at FROM forge.users u CROSS JOIN forge.actors a ON a.id = u.id WHERE ${where} LIMIT ?`,
    ...params,
    limit,
  )
}

// Code.

/** Lists candidate chunks of the blobs after `after` up to `to`. */
export const listChunks = (db: Db, match: string, after: number, to: number): number[] =>
  db
    .all<{ id: number }>(
      'SELECT rowid AS id FROM code_fts WHERE code_fts MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid',
      match,
      firstChunk(after + 1),
      firstChunk(to + 1),
    )
    .map(({ id }) => id)

export const listBlobs = (db: Db, after: number, to: number): number[] =>
  db
    .all<{ id: number }>('SELECT id FROM blobs WHERE id > ? AND id <= ? ORDER BY id', after, to)
    .map(({ id }) => id)

export const findLastBlob = (db: Db): number =>
  db.one<{ id: number | null }>('SELECT max(id) AS id FROM blobs')?.id ?? 0

export const listChunksOfBlob = (db: Db, blob: number): number[] =>
  db
    .all<{ id: number }>(
      'SELECT id FROM chunks WHERE id >= ? AND id < ? ORDER BY id',
      firstChunk(blob),
      firstChunk(blob + 1),
    )
    .map(({ id }) => id)

export type FileRow = {
  readonly blob: number
  readonly tree: number
  readonly dir: string
  readonly name: string
  readonly language: string | null
  readonly generated: number
}

/** Lists the files that have these blobs. */
export const listFiles = (db: Db, blobs: readonly number[]): FileRow[] =>
  db.all<FileRow>(
    `SELECT f.blob, f.tree, f.dir, f.name, f.language, max(f.generated, b.generated) AS generated FROM json_each(?) j CROSS JOIN files f ON f.blob = j.value CROSS JOIN blobs b ON b.id = f.blob`,
    json(blobs),
  )

/**
 * Lists the files of trees with this name whose path has all words and none of the others. Hyphens
 * count as spaces, as in titles of pages.
 */
export function listTitledFiles(
  db: Db,
  ref: string,
  wanted: readonly string[],
  unwanted: readonly string[],
  repos: SqlCondition,
  limit: number,
): FileRow[] {
  const all = new Conditions().add('t.ref = ?', ref)
  const there = `replace(f.dir || '/' || f.name, '-', ' ') LIKE ? ESCAPE '\\'`
  for (const piece of wanted) all.add(there, likePattern(piece))
  for (const piece of unwanted) all.add(`NOT (${there})`, likePattern(piece))
  return db.all<FileRow>(
    `SELECT f.blob, f.tree, f.dir, f.name, f.language, f.generated FROM trees t
     CROSS JOIN files f ON f.tree = t.id CROSS JOIN forge.repos p ON p.id = t.repo_id
     WHERE ${all.sql.where} AND ${repos.where} ORDER BY length(f.name), f.name LIMIT ?`,
    ...all.sql.params,
    ...repos.params,
    limit,
  )
}

export type TreeRow = {
  readonly id: number
  readonly repo_id: string
  readonly ref: string
  readonly commit_oid: string | null
  readonly done: number
}

export const findTreeRow = (db: Db, id: number): TreeRow | null =>
  db.one<TreeRow>('SELECT id, repo_id, ref, commit_oid, done FROM trees WHERE id = ?', id)

export const listTrees = (db: Db, repo_id: string): TreeRow[] =>
  db.all<TreeRow>('SELECT id, repo_id, ref, commit_oid, done FROM trees WHERE repo_id = ?', repo_id)

/** Lists visible repositories within the filters. */
export const listRepoIds = (db: Db, repos: SqlCondition, limit: number): string[] =>
  db
    .all<{ id: string }>(
      `SELECT p.id FROM forge.repos p WHERE ${repos.where} LIMIT ?`,
      ...repos.params,
      limit,
    )
    .map(({ id }) => id)

/** Lists all blobs of a tree. */
export const listBlobsOfTree = (db: Db, tree: number): number[] =>
  db
    .all<{ blob: number }>('SELECT DISTINCT blob FROM files WHERE tree = ?', tree)
    .map(({ blob }) => blob)

export type VisibleRepo = {
  readonly pushed_at: string | null
  readonly created_at: string
  readonly default_branch: string
}

/** Returns a repository if it is visible and within the filters; null otherwise. */
export const findVisibleRepo = (db: Db, repo_id: string, repos: SqlCondition): VisibleRepo | null =>
  db.one<VisibleRepo>(
    `SELECT p.pushed_at, p.created_at, p.default_branch FROM forge.repos p WHERE p.id = ? AND ${repos.where}`,
    repo_id,
    ...repos.params,
  )

/** Returns the number of the first line of a chunk. */
export const findFirstLine = (db: Db, id: number): number =>
  db.one<{ line: number }>('SELECT line FROM chunks WHERE id = ?', id)?.line ?? 1

export const findChunk = (db: Db, id: number): Uint8Array | null =>
  db.one<{ text: Uint8Array }>('SELECT text FROM chunks WHERE id = ?', id)?.text ?? null

/** Lists blobs that define a name, ignoring case. With `open` the name is a prefix. */
export const listDefining = (
  db: Db,
  name: string,
  options: { open: boolean; limit: number },
): { blob: number; name: string }[] =>
  options.open
    ? db.all(
        'SELECT blob, name FROM symbols WHERE name >= ? AND name < ? LIMIT ?',
        name,
        `${name}\u{10ffff}`,
        options.limit,
      )
    : db.all('SELECT blob, name FROM symbols WHERE name = ? LIMIT ?', name, options.limit)

/** Lists symbols of a blob that contain one of the pieces, ignoring case. */
export const listSymbols = (
  db: Db,
  blob: number,
  pieces: readonly string[],
  limit: number,
): { name: string; kind: string; line: number }[] =>
  db.all(
    `SELECT name, kind, line FROM symbols WHERE blob = ? AND EXISTS (SELECT 1 FROM json_each(?) j WHERE instr(lower(name), j.value)) ORDER BY line LIMIT ?`,
    blob,
    json(pieces),
    limit,
  )

/** The versions of both databases, which change with every commit. */
export const databaseVersions = (db: DatabaseHandle): string =>
  `${db.one<{ data_version: number }>('PRAGMA main.data_version')?.data_version}.${db.one<{ data_version: number }>('PRAGMA forge.data_version')?.data_version}`

// The Explore page.

/** The index with the order; the planner would sort all visible repositories instead. */
const EXPLORE_INDEXES = { pushed: 'INDEXED BY repos_explored', created: '', name: '' } as const

const EXPLORE_ORDERS = {
  pushed: `coalesce(p.pushed_at, p.created_at) DESC, p.id DESC`,
  created: 'p.id DESC',
  name: 'p.name, p.id',
} as const
export type ExploreOrder = keyof typeof EXPLORE_ORDERS

export type ExploreFilter = {
  readonly piece: string
  readonly language: string | null
  readonly topic: string | null
}

const HAS_TOPIC = 'EXISTS (SELECT 1 FROM json_each(p.topics) t WHERE t.value = ?)'

/** Lists one page of repositories, with their total. */
export function listExploreRows(
  db: Db,
  repos: SqlCondition,
  { piece, language, topic }: ExploreFilter,
  order: ExploreOrder,
  window: { limit: number; offset: number },
): { ids: string[]; total: number } {
  const all = new Conditions().add(repos.where, ...repos.params)
  if (piece !== '')
    all.add(
      `(p.name LIKE ? ESCAPE '\\' OR p.description LIKE ? ESCAPE '\\' OR ${HAS_TOPIC})`,
      likePattern(piece),
      likePattern(piece),
      piece.toLowerCase(),
    )
  if (language !== null) all.add('p.language = ? COLLATE NOCASE', language)
  if (topic !== null) all.add(HAS_TOPIC, topic)
  const { where, params } = all.sql
  const ids = db
    .all<{ id: string }>(
      `SELECT p.id FROM forge.repos p ${EXPLORE_INDEXES[order]} WHERE ${where} ORDER BY ${EXPLORE_ORDERS[order]} LIMIT ? OFFSET ?`,
      ...params,
      window.limit,
      window.offset,
    )
    .map(({ id }) => id)
  return {
    ids,
    total:
      db.one<{ total: number }>(
        `SELECT count(*) AS total FROM forge.repos p WHERE ${where}`,
        ...params,
      )?.total ?? 0,
  }
}

type Choice = { name: string; count: number }

/** Lists the most common languages and topics of visible repositories. */
export const listExploreChoices = (
  db: Db,
  repos: SqlCondition,
  limit: number,
): { languages: Choice[]; topics: Choice[] } => ({
  languages: db.all<Choice>(
    `SELECT p.language AS name, count(*) AS count FROM forge.repos p INDEXED BY repos_with_language WHERE p.language IS NOT NULL AND ${repos.where} GROUP BY p.language ORDER BY count DESC, name LIMIT ?`,
    ...repos.params,
    limit,
  ),
  topics: db.all<Choice>(
    `SELECT t.value AS name, count(*) AS count FROM forge.repos p INDEXED BY repos_with_topics, json_each(p.topics) t WHERE p.topics <> '[]' AND ${repos.where} GROUP BY t.value ORDER BY count DESC, name LIMIT ?`,
    ...repos.params,
    limit,
  ),
})
