/** SQL for the table `releases`. */
import type { Oid } from '#git'
import type { Db } from '#core/db.ts'
import { reportText } from '#core/texts.ts'
import type { Tx } from '#core/write.ts'
import type { RetainedPage } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'

export type ReleaseRow = {
  readonly id: string
  readonly repo_id: string
  readonly tag_name: string
  readonly target_name: string
  readonly target: Oid
  readonly name: string
  readonly body: string
  readonly notes_generated: 0 | 1
  readonly prerelease: 0 | 1
  readonly latest_choice: 0 | 1 | null
  readonly latest: 0 | 1
  readonly author_id: string
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  /** Null for a draft. */
  readonly published_at: Timestamp | null
}

/** Throws 404 for a release of another repository, and for a draft unless `drafts` is true. */
export function requireRelease(db: Db, repo_id: string, id: string, drafts: boolean): ReleaseRow {
  const row = db.one<ReleaseRow>('SELECT * FROM releases WHERE id = ? AND repo_id = ?', id, repo_id)
  if (!row || (row.published_at === null && !drafts))
    throw notFound(`the release ${id.slice(0, 100)}`)
  return row
}

export const findReleaseByTag = (db: Db, repo_id: string, tag_name: string): ReleaseRow | null =>
  db.one<ReleaseRow>('SELECT * FROM releases WHERE repo_id = ? AND tag_name = ?', repo_id, tag_name)

/** The ids of the published releases of tags, by the names of the tags. */
export const publishedIds = (
  db: Db,
  repo_id: string,
  tags: readonly string[],
): ReadonlyMap<string, string> =>
  new Map(
    db
      .all<{ tag_name: string; id: string }>(
        `SELECT tag_name, id FROM releases WHERE repo_id = ? AND tag_name IN (SELECT value FROM json_each(?))
         AND published_at IS NOT NULL`,
        repo_id,
        JSON.stringify(tags),
      )
      .map(({ tag_name, id }) => [tag_name, id]),
  )

export const isTagPublished = (db: Db, repo_id: string, tag_name: string): boolean =>
  publishedIds(db, repo_id, [tag_name]).size > 0

export const findLatestRelease = (db: Db, repo_id: string): ReleaseRow | null =>
  db.one<ReleaseRow>('SELECT * FROM releases WHERE repo_id = ? AND latest = 1', repo_id)

/** The newest first. */
export const listReleaseRows = (
  db: Db,
  repo_id: string,
  { drafts, limit, offset }: { drafts: boolean; limit: number; offset: number },
): ReleaseRow[] =>
  db.all<ReleaseRow>(
    'SELECT * FROM releases WHERE repo_id = ? AND (? OR published_at IS NOT NULL) ORDER BY listed_at DESC, id DESC LIMIT ? OFFSET ?',
    repo_id,
    Number(drafts),
    limit,
    offset,
  )

export const countReleases = (db: Db, repo_id: string, drafts: boolean): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM releases WHERE repo_id = ? AND (? OR published_at IS NOT NULL)',
    repo_id,
    Number(drafts),
  )?.count ?? 0

export type LatestCandidate = Pick<
  ReleaseRow,
  'id' | 'tag_name' | 'latest_choice' | 'published_at' | 'latest'
>

/** Lists the releases that may be the latest, the newest first. */
export const listLatestCandidates = (db: Db, repo_id: string): LatestCandidate[] =>
  db.all<LatestCandidate>(
    'SELECT id, tag_name, latest_choice, published_at, latest FROM releases WHERE repo_id = ? AND published_at IS NOT NULL AND prerelease = 0 ORDER BY published_at DESC, id DESC',
    repo_id,
  )

/** Marks one release as the latest, or none. */
export function setLatest(tx: Tx, repo_id: string, id: string | null): void {
  tx.db.run('UPDATE releases SET latest = 0 WHERE repo_id = ? AND latest = 1', repo_id)
  if (id !== null) tx.db.run('UPDATE releases SET latest = 1 WHERE id = ?', id)
}

/** Clears the choice of other releases as latest. */
export const clearOtherChoices = (tx: Tx, repo_id: string, but: string): void =>
  void tx.db.run(
    'UPDATE releases SET latest_choice = NULL WHERE repo_id = ? AND latest_choice = 1 AND id <> ?',
    repo_id,
    but,
  )

type NewRelease = Omit<ReleaseRow, 'latest' | 'created_at' | 'updated_at'>

export function insertRelease(tx: Tx, row: NewRelease): void {
  tx.db.run(
    `INSERT INTO releases (id, repo_id, tag_name, target_name, target, name, body, notes_generated,
       prerelease, latest_choice, author_id, created_at, updated_at, published_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.tag_name,
    row.target_name,
    row.target,
    row.name,
    row.body,
    row.notes_generated,
    row.prerelease,
    row.latest_choice,
    row.author_id,
    tx.now,
    tx.now,
    row.published_at,
  )
  reportText(tx, row.id, row.body)
}

export type ReleaseChange = Partial<
  Pick<
    ReleaseRow,
    | 'tag_name'
    | 'target_name'
    | 'target'
    | 'name'
    | 'body'
    | 'notes_generated'
    | 'prerelease'
    | 'latest_choice'
    | 'published_at'
  >
>

export function setRelease(tx: Tx, row: ReleaseRow, change: ReleaseChange): void {
  const now = { ...row, ...change }
  // A changed release is not marked as latest; `updateLatest` marks the right one afterwards.
  tx.db.run(
    `UPDATE releases SET tag_name = ?, target_name = ?, target = ?, name = ?, body = ?, notes_generated = ?, prerelease = ?, latest_choice = ?, published_at = ?, updated_at = ?, latest = 0 WHERE id = ?`,
    now.tag_name,
    now.target_name,
    now.target,
    now.name,
    now.body,
    now.notes_generated,
    now.prerelease,
    now.latest_choice,
    now.published_at,
    tx.now,
    row.id,
  )
  reportText(tx, row.id, now.body)
}

export const removeRelease = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM releases WHERE id = ?', id)

export const changeAuthorOfReleases = (tx: Tx, repo_id: string, from: string, to: string): void =>
  void tx.db.run(
    'UPDATE releases SET author_id = ? WHERE repo_id = ? AND author_id = ?',
    to,
    repo_id,
    from,
  )

/** Deletes releases of a purged repository. The blob sweep deletes their files. */
export const removeReleasesOf = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM releases WHERE id IN (SELECT id FROM releases WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

/** Lists published releases from which notes may start, the newest first. */
export const listPublished = (
  db: Db,
  repo_id: string,
  limit: number,
): Pick<ReleaseRow, 'tag_name' | 'prerelease'>[] =>
  db.all(
    'SELECT tag_name, prerelease FROM releases WHERE repo_id = ? AND published_at IS NOT NULL ORDER BY listed_at DESC, id DESC LIMIT ?',
    repo_id,
    limit,
  )

const RETAINED_PER_PAGE = 1000

/**
 * Lists the commits of releases, because the tag of a draft does not exist yet. `after` is a tag
 * name.
 */
export function listRetainedTargets(db: Db, repo_id: string, after: string): RetainedPage {
  const rows = db.all<{ tag_name: string; target: Oid }>(
    'SELECT tag_name, target FROM releases WHERE repo_id = ? AND tag_name > ? ORDER BY tag_name LIMIT ?',
    repo_id,
    after,
    RETAINED_PER_PAGE,
  )
  return {
    oids: rows.map(({ target }) => target),
    next: rows.length < RETAINED_PER_PAGE ? null : (rows.at(-1)?.tag_name ?? null),
  }
}
