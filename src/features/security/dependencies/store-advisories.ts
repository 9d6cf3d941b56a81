/** The tables `osv_imports`, `osv_advisories` and `osv_affected`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { comparedName, type AffectedVersions, type OsvAdvisory } from '#lib/advisories/osv.ts'
import type { AdvisorySource, PackageAdvisory } from '#features/repos/index.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'

export type ImportRow = {
  readonly seq: number
  readonly source: string
  readonly state: 'running' | 'complete'
  readonly position: number
  readonly advisories: number
  readonly started_at: Timestamp
  readonly finished_at: Timestamp | null
}

export const findRunningImport = (db: Db, source: string): ImportRow | null =>
  db.one<ImportRow>(`SELECT * FROM osv_imports WHERE source = ? AND state = 'running'`, source)

export const requireImport = (db: Db, seq: number): ImportRow => {
  const row = db.one<ImportRow>('SELECT * FROM osv_imports WHERE seq = ?', seq)
  if (!row) throw new TypeError(`the import ${seq} is gone`)
  return row
}

/** Returns its number. */
export function insertImport(tx: Tx, source: string): number {
  tx.db.run(
    `INSERT INTO osv_imports (source, state, started_at) VALUES (?, 'running', ?)`,
    source,
    tx.now,
  )
  const row = tx.db.one<{ seq: number }>('SELECT max(seq) AS seq FROM osv_imports')
  return row?.seq ?? 0
}

/** Whether a complete import has the advisory as new as this. */
export const isKnownAdvisory = (db: Db, { id, modified }: OsvAdvisory): boolean =>
  db.one(
    `SELECT 1 FROM osv_advisories a JOIN osv_imports i ON i.seq = a.import_seq
     WHERE a.id = ? AND a.modified >= ? AND i.state = 'complete' LIMIT 1`,
    id,
    modified,
  ) !== null

/** Returns false for an id that the import has already. */
export function insertAdvisory(tx: Tx, import_seq: number, advisory: OsvAdvisory): boolean {
  const added = tx.db.run(
    `INSERT INTO osv_advisories (import_seq, id, modified, withdrawn_at, summary, severity, aliases,
       url) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    import_seq,
    advisory.id,
    advisory.modified,
    advisory.withdrawn,
    advisory.summary,
    advisory.severity,
    JSON.stringify(advisory.aliases),
    advisory.url,
  )
  if (added === 0) return false
  advisory.affected.forEach(({ ecosystem, name, ranges, versions }, place) =>
    tx.db.run(
      `INSERT INTO osv_affected (ecosystem, name, advisory_seq, place, affected)
       VALUES (?, ?, (SELECT seq FROM osv_advisories WHERE id = ? AND import_seq = ?), ?, ?)`,
      ecosystem,
      name,
      advisory.id,
      import_seq,
      place,
      JSON.stringify({ ranges, versions }),
    ),
  )
  return true
}

/** What the advisories of this forge belong to. */
const FORGE_SOURCE = 'this forge'

/** Adds an advisory of this forge, or replaces what was known of it. */
export function putForgeAdvisory(tx: Tx, advisory: OsvAdvisory): void {
  const known = tx.db.one<{ seq: number }>(
    'SELECT seq FROM osv_imports WHERE source = ?',
    FORGE_SOURCE,
  )
  const seq = known?.seq ?? insertImport(tx, FORGE_SOURCE)
  if (!known) completeImport(tx, seq)
  tx.db.run('DELETE FROM osv_advisories WHERE import_seq = ? AND id = ?', seq, advisory.id)
  insertAdvisory(tx, seq, advisory)
}

export const advanceImport = (
  tx: Tx,
  seq: number,
  { position, added }: { readonly position: number; readonly added: number },
): void =>
  void tx.db.run(
    'UPDATE osv_imports SET position = ?, advisories = advisories + ? WHERE seq = ?',
    position,
    added,
    seq,
  )

export const completeImport = (tx: Tx, seq: number): void =>
  void tx.db.run(
    `UPDATE osv_imports SET state = 'complete', finished_at = ? WHERE seq = ?`,
    tx.now,
    seq,
  )

export const hasAdvisories = (db: Db): boolean =>
  db.one(`SELECT 1 FROM osv_imports WHERE state = 'complete' LIMIT 1`) !== null

type MatchRow = Omit<PackageAdvisory, 'affected' | 'aliases'> & {
  readonly affected: string
  readonly aliases: string
}

/** Another row of the same id in a complete import is newer. */
const IS_REPLACED = `EXISTS (SELECT 1 FROM osv_advisories b
  JOIN osv_imports j ON j.seq = b.import_seq AND j.state = 'complete'
  WHERE b.id = a.id AND (b.modified, b.seq) > (a.modified, a.seq))`

/**
 * Whether an advisory counts in the workspace `?3`. One that a repository of this forge published
 * counts in its own workspace: otherwise anybody could open alerts everywhere.
 */
const COUNTS = `(i.source <> '${FORGE_SOURCE}' OR EXISTS (SELECT 1 FROM advisories v
  JOIN repos r ON r.id = v.repo_id AND r.private = 0 AND r.deleted_at IS NULL
  WHERE v.id = a.id AND r.workspace_id = ?3))`

/**
 * The advisories that count for packages of one ecosystem, by their compared names. Without a
 * workspace none of this forge do.
 */
export const listAdvisoriesOf = (
  db: Db,
  ecosystem: string,
  names: readonly string[],
  workspace_id: string | null,
): PackageAdvisory[] =>
  db
    .all<MatchRow>(
      `SELECT f.name, f.affected, a.id, a.modified, a.summary, a.severity, a.aliases, a.url
       FROM json_each(?2) n
       JOIN osv_affected f ON f.ecosystem = ?1 AND f.name = n.value
       JOIN osv_advisories a ON a.seq = f.advisory_seq AND a.withdrawn_at IS NULL
       JOIN osv_imports i ON i.seq = a.import_seq AND i.state = 'complete'
       WHERE NOT ${IS_REPLACED} AND ${COUNTS}`,
      ecosystem,
      JSON.stringify(names),
      workspace_id,
    )
    .map((row) => ({
      ...row,
      affected: JSON.parse(row.affected) as AffectedVersions,
      aliases: JSON.parse(row.aliases) as string[],
    }))

/** Advisories of one workspace and ecosystem; a workspace with more has the oldest left out. */
const MAX_PUBLISHED = 1_000

/** What public repositories of a workspace published, by the names it is about. */
const listPublishedNames = (
  db: Db,
  ecosystem: string,
  workspace_id: string,
): { name: string; id: string }[] =>
  db.all(
    `SELECT f.name, a.id FROM repos r
     JOIN advisories v ON v.repo_id = r.id AND v.state = 'published'
     JOIN osv_imports i ON i.source = '${FORGE_SOURCE}'
     JOIN osv_advisories a ON a.id = v.id AND a.import_seq = i.seq
     JOIN osv_affected f ON f.advisory_seq = a.seq AND f.ecosystem = ?
     WHERE r.workspace_id = ? AND r.private = 0 AND r.deleted_at IS NULL
     ORDER BY v.seq DESC LIMIT ${MAX_PUBLISHED}`,
    ecosystem,
    workspace_id,
  )

/** The implementation of `packageAdvisories`. */
export const advisorySource: AdvisorySource = {
  state: (db) => {
    const row = db.one<{ last: number | null; count: number; updated_at: Timestamp | null }>(
      `SELECT max(seq) AS last, count(*) AS count, max(finished_at) AS updated_at FROM osv_imports
       WHERE state = 'complete' AND source <> '${FORGE_SOURCE}'`,
    )
    return { revision: `${row?.last ?? 0}-${row?.count ?? 0}`, updated_at: row?.updated_at ?? null }
  },
  list: (db, ecosystem, names, workspace_id) =>
    listAdvisoriesOf(
      db,
      ecosystem,
      names.map((name) => comparedName(ecosystem, name)),
      workspace_id,
    ),
  listNames: (db, ecosystem, after, limit) =>
    db
      .all<{ name: string }>(
        `SELECT DISTINCT name FROM osv_affected WHERE ecosystem = ? AND name > ?
         ORDER BY name LIMIT ?`,
        ecosystem,
        after,
        limit,
      )
      .map(({ name }) => name),
  listPublished: (db, ecosystem, workspace_id) => {
    const published = listPublishedNames(db, ecosystem, workspace_id)
    const names = [...new Set(published.map(({ name }) => name))]
    const ids = new Set(published.map(({ id }) => id))
    return listAdvisoriesOf(db, ecosystem, names, workspace_id).filter(({ id }) => ids.has(id))
  },
}

/** Deletes advisories after one that newer ones have replaced. Returns the last that it looked at. */
export function removeReplaced(tx: Tx, after: number, limit: number): number | null {
  const rows = tx.db.all<{ seq: number }>(
    'SELECT seq FROM osv_advisories WHERE seq > ? ORDER BY seq LIMIT ?',
    after,
    limit,
  )
  const last = rows.at(-1)?.seq ?? null
  if (last === null) return null
  tx.db.run(
    `DELETE FROM osv_advisories AS a WHERE a.seq > ? AND a.seq <= ?
       AND a.import_seq IN (SELECT seq FROM osv_imports WHERE state = 'complete') AND ${IS_REPLACED}`,
    after,
    last,
  )
  return last
}

/** Imports that nobody went on with. */
export const findStaleImport = (db: Db, before: Timestamp): number | null =>
  db.one<{ seq: number }>(
    `SELECT seq FROM osv_imports WHERE state = 'running' AND started_at < ? LIMIT 1`,
    before,
  )?.seq ?? null

/** Deletes an import in batches. Returns false when it is gone. */
export function removeImport(tx: Tx, seq: number, limit: number): boolean {
  const removed = tx.db.run(
    `DELETE FROM osv_advisories WHERE seq IN (
       SELECT seq FROM osv_advisories WHERE import_seq = ? LIMIT ?)`,
    seq,
    limit,
  )
  if (removed > 0) return true
  tx.db.run('DELETE FROM osv_imports WHERE seq = ?', seq)
  return false
}

export const STALE_IMPORT_MS = 30 * 24 * 3_600_000

export const staleSince = (now_ms: number): Timestamp => timestamp(now_ms - STALE_IMPORT_MS)
