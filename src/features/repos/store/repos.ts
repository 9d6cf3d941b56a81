/** SQL for repositories. Refs are in `refs.ts`, links to pull requests in `pulls.ts`. */
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import { likePattern } from '#lib/like-pattern.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { findDeleted } from './deleted-repos.ts'
import { removeRedirect } from './redirects.ts'

export type RepoRow = {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly parent_id: string | null
  readonly pull_number: number | null
  readonly store: string
  readonly description: string | null
  readonly website: string | null
  /** A JSON array of strings. */
  readonly topics: string
  readonly private: number
  readonly default_branch: string
  readonly protected: number
  /** A JSON object of the differences from the defaults; read it with `settingsOf`. */
  readonly settings: string
  readonly next_number: number
  readonly refs_generation: string
  readonly open_issues_count: number
  readonly open_pulls_count: number
  readonly language: string | null
  readonly license: string | null
  readonly size_in_bytes: number
  readonly created_by: string
  readonly created_for: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly pushed_at: string | null
  readonly archived_at: string | null
  readonly deleted_at: string | null
  readonly deleted_by: string | null
  readonly purge_at: string | null
  readonly purged_at: string | null
}

export const repoById = (db: Db, id: string): RepoRow | null =>
  memo(db, 'repo', id, () => db.one<RepoRow>('SELECT * FROM repos WHERE id = ?', id))

/** Preloads repositories into the current read scope. */
export const preloadRepos = (db: Db, ids: readonly string[]): void =>
  preload(
    db,
    'repo',
    ids,
    () =>
      new Map(
        db
          .all<RepoRow>(
            'SELECT * FROM repos WHERE id IN (SELECT value FROM json_each(?))',
            JSON.stringify(ids),
          )
          .map((row) => [row.id, row]),
      ),
    () => null,
  )

export function requireRepo(db: Db, id: string): RepoRow {
  const row = repoById(db, id)
  if (!row) throw notFound('the repository')
  return row
}

/** `<owner>/<name>`, followed by `/pull/<number>` for a fork. */
export const REPO_PATH = /^([^/\s]+)\/([^/\s]+?)(?:\/pull\/(\d{1,10}))?$/

/**
 * Returns the repository at `<owner>/<name>`, or the fork at `<owner>/<name>/pull/<n>`. A deleted
 * repository is found while no other has its name.
 */
export function repoByPath(db: Db, path: string): RepoRow | null {
  const [, slug, name, number] = REPO_PATH.exec(path) ?? []
  if (slug === undefined || name === undefined) return null
  const workspace = findWorkspace(db, slug)
  if (!workspace) return null
  const repo = findRepoByName(db, workspace.id, name) ?? findDeleted(db, workspace.id, name)
  if (!repo || number === undefined) return repo
  return findFork(db, repo.id, Number(number))
}

export const findRepoByName = (db: Db, workspace_id: string, name: string): RepoRow | null =>
  memo(db, 'repo by name', `${workspace_id} ${name}`, () => {
    const row = db.one<RepoRow>(
      'SELECT * FROM repos WHERE workspace_id = ? AND name = ? AND parent_id IS NULL AND deleted_at IS NULL',
      workspace_id,
      name,
    )
    return row && memo(db, 'repo', row.id, () => row)
  })

export const findFork = (db: Db, parent_id: string, number: number): RepoRow | null =>
  db.one<RepoRow>('SELECT * FROM repos WHERE parent_id = ? AND pull_number = ?', parent_id, number)

/** The newest forks first. */
export const listForks = (db: Db, parent_id: string, created_by: string): RepoRow[] =>
  db.all<RepoRow>(
    'SELECT * FROM repos WHERE parent_id = ? AND (created_by = ?2 OR created_for = ?2) ORDER BY pull_number DESC LIMIT 100',
    parent_id,
    created_by,
  )

/**
 * Which repositories a caller can see: all public ones, and private ones of these workspaces or
 * with these grants. `only` limits the private ones to these ids.
 */
export type VisibleRepos = {
  readonly workspaces: readonly string[]
  readonly granted: readonly string[]
  readonly only: readonly string[] | null
}

export type RepoFilter = {
  visible: VisibleRepos
  q?: string
  workspace_id?: string
  created_by?: string
  archived?: boolean
}

const SORT_ORDERS = {
  updated: 'updated_at DESC, id DESC',
  created: 'id DESC',
  name: 'name, id',
  pushed: `coalesce(pushed_at, '') DESC, id DESC`,
} as const
export type RepoOrder = keyof typeof SORT_ORDERS

/** The SQL condition for "the caller can see this repository". */
const visibilityClause = ({
  workspaces,
  granted,
  only,
}: VisibleRepos): { sql: string; params: string[] } => ({
  sql: `(private = 0
    OR ((workspace_id IN (SELECT value FROM json_each(?)) OR id IN (SELECT value FROM json_each(?)))
      ${only === null ? '' : 'AND id IN (SELECT value FROM json_each(?))'}))`,
  params: [
    JSON.stringify(workspaces),
    JSON.stringify(granted),
    ...(only === null ? [] : [JSON.stringify(only)]),
  ],
})

function filterClause({ visible, q, workspace_id, created_by, archived }: RepoFilter): {
  sql: string
  params: string[]
} {
  const seen = visibilityClause(visible)
  const where = ['parent_id IS NULL', 'deleted_at IS NULL', seen.sql]
  const params = [...seen.params]
  if (q) {
    where.push(`(name LIKE ? ESCAPE '\\' OR description LIKE ? ESCAPE '\\')`)
    params.push(likePattern(q), likePattern(q))
  }
  if (workspace_id !== undefined) {
    where.push('workspace_id = ?')
    params.push(workspace_id)
  }
  if (created_by !== undefined) {
    where.push('created_by = ?')
    params.push(created_by)
  }
  if (archived !== undefined)
    where.push(archived ? 'archived_at IS NOT NULL' : 'archived_at IS NULL')
  return { sql: where.join(' AND '), params }
}

export function listRepoRows(
  db: Db,
  filter: RepoFilter,
  order: RepoOrder,
  window: { limit: number; offset: number },
): RepoRow[] {
  const { sql, params } = filterClause(filter)
  return db.all<RepoRow>(
    `SELECT * FROM repos WHERE ${sql} ORDER BY ${SORT_ORDERS[order]} LIMIT ? OFFSET ?`,
    ...params,
    window.limit,
    window.offset,
  )
}

export function countRepoRows(db: Db, filter: RepoFilter): number {
  const { sql, params } = filterClause(filter)
  return (
    db.one<{ total: number }>(`SELECT count(*) AS total FROM repos WHERE ${sql}`, ...params)
      ?.total ?? 0
  )
}

export type NewRepo = {
  id: string
  workspace_id: string
  name: string
  parent_id?: string | null
  pull_number?: number | null
  store: string
  description?: string | null
  private: boolean
  default_branch?: string
  protected?: boolean
  refs_generation: string
  created_by: string
  created_for?: string | null
}

/** Inserts a repository. If its name redirected to another repository, the redirect is removed. */
export function insertRepo(tx: Tx, repo: NewRepo): RepoRow {
  if (!repo.parent_id) removeRedirect(tx, repo.workspace_id, repo.name)
  tx.db.run(
    `INSERT INTO repos (id, workspace_id, name, parent_id, pull_number, store, description, private,
      default_branch, protected, refs_generation, created_by, created_for, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    repo.id,
    repo.workspace_id,
    repo.name,
    repo.parent_id ?? null,
    repo.pull_number ?? null,
    repo.store,
    repo.description ?? null,
    Number(repo.private),
    repo.default_branch ?? 'main',
    Number(repo.protected ?? true),
    repo.refs_generation,
    repo.created_by,
    repo.created_for ?? null,
    tx.now,
    tx.now,
  )
  return requireRepo(tx.db, repo.id)
}

export type RepoChange = Partial<{
  description: string | null
  website: string | null
  topics: readonly string[]
  private: boolean
  default_branch: string
  protected: boolean
  settings: Record<string, unknown>
  archived_at: string | null
  name: string
  workspace_id: string
  deleted_at: string | null
  deleted_by: string | null
  purge_at: string | null
  purged_at: string | null
}>

const columnValue = (value: unknown): string | number | null =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : (value as string | null)

export function setRepo(tx: Tx, id: string, change: RepoChange): void {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return
  const columns = entries.map(([column]) => `${column} = ?`).join(', ')
  tx.db.run(
    `UPDATE repos SET ${columns}, updated_at = ? WHERE id = ?`,
    ...entries.map(([, value]) => columnValue(value)),
    tx.now,
    id,
  )
}

/**
 * Copies the parent's name, workspace and visibility into the rows of its forks, because events are
 * filed by them.
 */
export function setForks(
  tx: Tx,
  parent_id: string,
  change: { name?: string; workspace_id?: string; private?: boolean },
): void {
  tx.db.run(
    'UPDATE repos SET name = coalesce(?, name), workspace_id = coalesce(?, workspace_id), private = coalesce(?, private) WHERE parent_id = ?',
    change.name ?? null,
    change.workspace_id ?? null,
    change.private === undefined ? null : Number(change.private),
    parent_id,
  )
}

/**
 * Allocates the next issue or pull request number of a repository, in the transaction that uses it.
 */
export function allocateNumber(tx: Tx, repo_id: string): number {
  const row = tx.db.one<{ number: number }>(
    'UPDATE repos SET next_number = next_number + 1 WHERE id = ? RETURNING next_number - 1 AS number',
    repo_id,
  )
  if (!row) throw notFound('the repository')
  return row.number
}

/** Makes numbers up to this one taken, for records that keep the numbers of another forge. */
export const reserveNumbers = (tx: Tx, repo_id: string, highest: number): void =>
  void tx.db.run(
    'UPDATE repos SET next_number = max(next_number, ? + 1) WHERE id = ?',
    highest,
    repo_id,
  )

/** Sets the counts of open issues and pull requests, as counted by their features. */
export function setOpenCounts(
  tx: Tx,
  repo_id: string,
  counts: { issues?: number; pulls?: number },
): void {
  tx.db.run(
    'UPDATE repos SET open_issues_count = coalesce(?, open_issues_count), open_pulls_count = coalesce(?, open_pulls_count) WHERE id = ?',
    counts.issues ?? null,
    counts.pulls ?? null,
    repo_id,
  )
}

export function setMeasurements(
  tx: Tx,
  id: string,
  measures: { language: string | null; license: string | null; size_in_bytes: number },
): void {
  tx.db.run(
    'UPDATE repos SET language = ?, license = ?, size_in_bytes = ? WHERE id = ?',
    measures.language,
    measures.license,
    measures.size_in_bytes,
    id,
  )
}

/** Adds the bytes of a push. The next measurement corrects the sum. */
export function addSize(tx: Tx, id: string, bytes: number): void {
  tx.db.run('UPDATE repos SET size_in_bytes = size_in_bytes + ? WHERE id = ?', bytes, id)
}

/** Deletes the fork of a pull request with its refs. */
export function removeForkRow(tx: Tx, id: string): void {
  tx.db.run('DELETE FROM repos WHERE id = ? AND parent_id IS NOT NULL', id)
}

/**
 * Returns those of these repositories that the caller can see. A fork is visible with its parent.
 */
export function filterVisibleRepos(
  db: Db,
  visible: VisibleRepos,
  ids: readonly string[],
  { forks = true } = {},
): string[] {
  if (ids.length === 0) return []
  const seen = visibilityClause(visible)
  return db
    .all<{ id: string }>(
      `SELECT r.id FROM json_each(?) i JOIN repos r ON r.id = i.value
       WHERE r.deleted_at IS NULL${forks ? '' : ' AND r.parent_id IS NULL'}
         AND EXISTS (SELECT 1 FROM repos
           WHERE id = coalesce(r.parent_id, r.id) AND deleted_at IS NULL AND ${seen.sql})`,
      JSON.stringify(ids),
      ...seen.params,
    )
    .map(({ id }) => id)
}
