/** The table `departed_workspaces`: names whose workspaces another forge serves. */
import type { Db } from '#core/db.ts'
import { memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'

export const listDeparted = (db: Db): ReadonlyMap<string, string> =>
  new Map(
    db
      .all<{ slug: string; address: string }>('SELECT slug, address FROM departed_workspaces')
      .map(({ slug, address }) => [slug, address]),
  )

export const findDeparted = (db: Db, slug: string): string | null =>
  memo(
    db,
    'departed workspace',
    slug.toLowerCase(),
    () =>
      db.one<{ address: string }>(
        'SELECT address FROM departed_workspaces WHERE slug = ?',
        slug.toLowerCase(),
      )?.address ?? null,
  )

export const setDeparted = (tx: Tx, slug: string, address: string): void =>
  void tx.db.run(
    `INSERT INTO departed_workspaces (slug, address, departed_at) VALUES (?, ?, ?)
     ON CONFLICT (slug) DO UPDATE SET address = excluded.address, departed_at = excluded.departed_at`,
    slug.toLowerCase(),
    address,
    tx.now,
  )

export const removeDeparted = (tx: Tx, slug: string): number =>
  tx.db.run('DELETE FROM departed_workspaces WHERE slug = ?', slug.toLowerCase())
