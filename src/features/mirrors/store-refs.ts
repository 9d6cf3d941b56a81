/** SQL for refs of remotes, and for kept tips. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid, Ref } from '#git'
import type { RetainedPage } from '#features/repos/index.ts'
import type { Timestamp } from '#lib/time.ts'

export type MirrorRefRow = {
  readonly name: string
  readonly remote_oid: Oid | null
  readonly pushed_oid: Oid | null
  readonly taken_over_oid: Oid | null
}

export const listMirrorRefs = (db: Db, mirror_id: string): MirrorRefRow[] =>
  db.all<MirrorRefRow>(
    'SELECT name, remote_oid, pushed_oid, taken_over_oid FROM mirror_refs WHERE mirror_id = ? ORDER BY name',
    mirror_id,
  )

/** Records refs that the remote has. Those that it has no more stay. */
export const addRemoteRefs = (tx: Tx, mirror_id: string, refs: readonly Ref[]): void =>
  void tx.db.run(
    `INSERT INTO mirror_refs (mirror_id, name, remote_oid)
     SELECT ?1, value ->> 'name', value ->> 'oid' FROM json_each(?2) WHERE true
     ON CONFLICT (mirror_id, name) DO UPDATE SET remote_oid = excluded.remote_oid`,
    mirror_id,
    JSON.stringify(refs.map(({ name, oid }) => ({ name, oid }))),
  )

/** Replaces what is known of the refs of a remote. Rows without any commit are deleted. */
export function setRemoteRefs(tx: Tx, mirror_id: string, refs: readonly Ref[]): void {
  tx.db.run('UPDATE mirror_refs SET remote_oid = NULL WHERE mirror_id = ?', mirror_id)
  addRemoteRefs(tx, mirror_id, refs)
  tx.db.run(
    'DELETE FROM mirror_refs WHERE mirror_id = ? AND remote_oid IS NULL AND pushed_oid IS NULL AND taken_over_oid IS NULL',
    mirror_id,
  )
}

/** Records one ref of the remote as it is after a push by the service. */
export const setPushedRef = (tx: Tx, mirror_id: string, name: string, oid: Oid | null): void =>
  void tx.db.run(
    `INSERT INTO mirror_refs (mirror_id, name, remote_oid, pushed_oid) VALUES (?, ?, ?3, ?3)
     ON CONFLICT (mirror_id, name) DO UPDATE SET remote_oid = ?3, pushed_oid = ?3`,
    mirror_id,
    name,
    oid,
  )

/**
 * Records where each ref is that the remote had. A ref that the remote never had gets no commit, so
 * that its absence there is no deletion.
 */
export const recordTakeover = (tx: Tx, mirror_id: string, repo_id: string): void =>
  void tx.db.run(
    `UPDATE mirror_refs SET taken_over_oid =
       (SELECT oid FROM refs WHERE repo_id = ?2 AND refs.name = mirror_refs.name)
     WHERE mirror_id = ?1 AND remote_oid IS NOT NULL`,
    mirror_id,
    repo_id,
  )

export const setTakenOverRef = (tx: Tx, mirror_id: string, name: string, oid: Oid): void =>
  void tx.db.run(
    'UPDATE mirror_refs SET taken_over_oid = ? WHERE mirror_id = ? AND name = ?',
    oid,
    mirror_id,
    name,
  )

export const clearTakeover = (tx: Tx, mirror_id: string): void =>
  void tx.db.run('UPDATE mirror_refs SET taken_over_oid = NULL WHERE mirror_id = ?', mirror_id)

/** Counts the refs of the remote as pushed by the service. */
export const adoptRemoteRefs = (tx: Tx, mirror_id: string): void =>
  void tx.db.run('UPDATE mirror_refs SET pushed_oid = remote_oid WHERE mirror_id = ?', mirror_id)

export type KeptRefRow = {
  readonly repo_id: string
  readonly oid: Oid
  readonly name: string
  readonly mirror_id: string
  readonly side: 'service' | 'remote'
  readonly kept_at: Timestamp
}

/** Keeps a former tip. One that is kept already stays for 90 days from now. */
export const keepRef = (tx: Tx, row: Omit<KeptRefRow, 'kept_at'>): void =>
  void tx.db.run(
    `INSERT INTO mirror_kept_refs (repo_id, oid, name, mirror_id, side, kept_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (repo_id, oid, name) DO UPDATE SET kept_at = excluded.kept_at`,
    row.repo_id,
    row.oid,
    row.name,
    row.mirror_id,
    row.side,
    tx.now,
  )

/** Keeps every commit of a remote that is no current tip here, before its link is deleted. */
export const keepRemoteRefs = (tx: Tx, mirror_id: string, repo_id: string): void =>
  void tx.db.run(
    `INSERT INTO mirror_kept_refs (repo_id, oid, name, mirror_id, side, kept_at)
     SELECT ?2, remote_oid, name, ?1, 'remote', ?3 FROM mirror_refs
     WHERE mirror_id = ?1 AND remote_oid IS NOT NULL
       AND remote_oid NOT IN (SELECT oid FROM refs WHERE repo_id = ?2)
     ON CONFLICT (repo_id, oid, name) DO UPDATE SET kept_at = excluded.kept_at`,
    mirror_id,
    repo_id,
    tx.now,
  )

export const listKeptRefs = (
  db: Db,
  repo_id: string,
  { limit, offset }: { limit: number; offset: number },
): KeptRefRow[] =>
  db.all<KeptRefRow>(
    `SELECT * FROM mirror_kept_refs WHERE repo_id = ?
     ORDER BY kept_at DESC, name, oid LIMIT ? OFFSET ?`,
    repo_id,
    limit,
    offset,
  )

export const findKeptRef = (db: Db, repo_id: string, oid: Oid): KeptRefRow | null =>
  db.one<KeptRefRow>(
    'SELECT * FROM mirror_kept_refs WHERE repo_id = ? AND oid = ? LIMIT 1',
    repo_id,
    oid,
  )

/** Deletes up to `limit` kept tips from before a time. Returns how many. */
export const removeOldKeptRefs = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM mirror_kept_refs WHERE (repo_id, oid, name) IN
       (SELECT repo_id, oid, name FROM mirror_kept_refs WHERE kept_at < ? LIMIT ?)`,
    before,
    limit,
  )

/** All commits of remotes and kept tips of a repository: they count as present in a fetch. */
export const listHiddenRefs = (db: Db, repo_id: string): Ref[] =>
  db
    .all<{ oid: Oid }>(
      `SELECT remote_oid AS oid FROM mirror_refs r JOIN mirrors m ON m.id = r.mirror_id
         WHERE m.repo_id = ?1 AND remote_oid IS NOT NULL
       UNION SELECT taken_over_oid FROM mirror_refs r JOIN mirrors m ON m.id = r.mirror_id
         WHERE m.repo_id = ?1 AND taken_over_oid IS NOT NULL
       UNION SELECT oid FROM mirror_kept_refs WHERE repo_id = ?1`,
      repo_id,
    )
    .map(({ oid }) => ({ name: `refs/remote/${oid}`, oid, peeled: null }))

const OIDS_PER_PAGE = 1000

/** A page of the commits that garbage collection keeps for mirrors. */
export function retainedByMirrors(db: Db, repo_id: string, after: string): RetainedPage {
  const rows = db.all<{ oid: Oid }>(
    `SELECT remote_oid AS oid FROM mirror_refs r JOIN mirrors m ON m.id = r.mirror_id
       WHERE m.repo_id = ?1 AND remote_oid > ?2
     UNION SELECT taken_over_oid FROM mirror_refs r JOIN mirrors m ON m.id = r.mirror_id
       WHERE m.repo_id = ?1 AND taken_over_oid > ?2
     UNION SELECT oid FROM mirror_kept_refs WHERE repo_id = ?1 AND oid > ?2
     ORDER BY oid LIMIT ?3`,
    repo_id,
    after,
    OIDS_PER_PAGE,
  )
  const last = rows.at(-1)
  return {
    oids: rows.map(({ oid }) => oid),
    next: rows.length < OIDS_PER_PAGE || !last ? null : last.oid,
  }
}

/** Deletes kept tips of a purged repository. Returns how many. */
export const removeKeptRefsOf = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM mirror_kept_refs WHERE (repo_id, oid, name) IN
       (SELECT repo_id, oid, name FROM mirror_kept_refs WHERE repo_id = ? LIMIT ?)`,
    repo_id,
    limit,
  )

/** Deletes refs of links of a purged repository. Returns how many. */
export const removeMirrorRefsOf = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM mirror_refs WHERE (mirror_id, name) IN
       (SELECT r.mirror_id, r.name FROM mirrors m JOIN mirror_refs r ON r.mirror_id = m.id
        WHERE m.repo_id = ? LIMIT ?)`,
    repo_id,
    limit,
  )
