import { expect, test } from 'bun:test'
import { openDatabase, type Db } from '#core/db.ts'
import { migrate, migrations } from '#core/migrate.ts'
import { deletePackage } from '#features/packages/delete-package.ts'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { purgePackages } from '#features/packages/purge-packages.ts'
import { countPackageBytes } from '#features/packages/store-versions.ts'
import { DAY } from '#lib/time.ts'
import { npm } from './fixture.ts'
import { image, makeImageWorld } from './image-fixture.ts'

/** The bytes of a workspace's packages, summed over their files. */
const sumBytes = (db: Db, workspace_id: string): number =>
  db.one<{ bytes: number | null }>(
    `SELECT sum(size_in_bytes) AS bytes FROM (
       SELECT f.sha256, f.size_in_bytes FROM packages p JOIN package_files f ON f.package_id = p.id
         WHERE p.workspace_id = ?1
       UNION SELECT b.sha256, b.size_in_bytes FROM packages p JOIN image_blobs b ON b.package_id = p.id
         WHERE p.workspace_id = ?1)`,
    workspace_id,
  )?.bytes ?? 0

/** The bytes of packages that are not deleted, and the sum over their layers and published files. */
const listSizes = (db: Db) =>
  db.all<{ size_in_bytes: number; sum: number }>(
    `SELECT p.size_in_bytes, (SELECT coalesce(sum(size_in_bytes), 0) FROM (
       SELECT f.sha256, f.size_in_bytes FROM package_files f JOIN package_versions v ON v.id = f.version_id
         WHERE f.package_id = p.id AND v.deleted_at IS NULL
       UNION SELECT sha256, size_in_bytes FROM image_blobs WHERE package_id = p.id)) AS sum
     FROM packages p WHERE p.deleted_at IS NULL`,
  )

const countedBytes = (db: Db, ids: readonly string[]): number[] => {
  const counts = countPackageBytes(db, ids)
  return ids.map((id) => counts.get(id) ?? 0)
}

test('the bytes of a workspace are those of its files, equal ones once, until the last one is purged', async () => {
  const { world, ada, publish, push } = await makeImageWorld()
  const other = await world.workspace('other', { owner: ada })
  const [acme] = world.hearth.db.all<{ id: string }>(
    `SELECT w.id FROM workspaces w JOIN actors a ON a.id = w.id WHERE a.username = 'acme'`,
  )
  const bytes = () => {
    const ids = [acme?.id ?? '', other.id]
    const seen = countedBytes(world.hearth.db, ids)
    expect(seen).toEqual(ids.map((id) => sumBytes(world.hearth.db, id)))
    for (const { size_in_bytes, sum } of listSizes(world.hearth.db)) expect(size_in_bytes).toBe(sum)
    return seen
  }
  expect(bytes()).toEqual([0, 0])
  await publish('one', '1.0.0', { text: 'same' })
  await publish('two', '1.0.0', { text: 'same' })
  await publish('two', '1.0.1', { text: 'another' })
  await push('same', ['v1'])
  await push('layer', ['v2'])
  await push('layer', ['v2'], ada, { workspace: 'other' })
  expect(bytes()).toEqual(['sameanotherlayer'.length, 'layer'.length])

  const purge = async () => {
    world.clock.advance(31 * DAY)
    const signal = new AbortController().signal
    await purgePackages.run({ hearth: world.hearth, signal, attempt: 1, id: 'job' }, null)
  }
  await world.call(deletePackage, ada, { ...npm('one'), confirm: 'one' })
  await world.call(deletePackageVersion, ada, { ...npm('two'), version: '1.0.1' })
  expect(bytes()).toEqual(['sameanotherlayer'.length, 'layer'.length])
  await purge()
  expect(bytes()).toEqual(['samelayer'.length, 'layer'.length])
  await world.call(deletePackageVersion, ada, { ...image, version: 'v1' })
  await world.call(deletePackage, ada, { ...image, workspace: 'other', confirm: 'app' })
  await purge()
  expect(bytes()).toEqual(['samelayer'.length, 0])
  await world.call(deletePackage, ada, { ...npm('two'), confirm: 'two' })
  await purge()
  expect(bytes()).toEqual(['layer'.length, 0])
  await world.write((tx) => void tx.db.run('DELETE FROM workspaces WHERE id = ?', acme?.id ?? ''))
  expect(world.hearth.db.all('SELECT * FROM workspace_package_files')).toEqual([])
})

test('a migrated database counts the packages that it has', () => {
  const db = openDatabase({ path: ':memory:' })
  const now = '2026-01-01T00:00:00.000Z'
  migrate(
    db,
    now,
    migrations.filter(({ name }) => name < '0087'),
  )
  db.exec('PRAGMA foreign_keys = OFF')
  const sha = (text: string): string => text.repeat(64)
  for (const [id, workspace_id] of [
    ['pkg_1', 'one'],
    ['pkg_2', 'one'],
    ['pkg_3', 'two'],
  ] as const)
    db.run(
      `INSERT INTO packages (id, workspace_id, type, name, normal_name, private, created_by, created_at,
         updated_at) VALUES (?1, ?2, 'npm', ?1, ?1, 1, 'usr_1', ?3, ?3)`,
      id,
      workspace_id,
      now,
    )
  const add = (package_id: string, sha256: string, size: number): void =>
    void db.run(
      `INSERT INTO package_files (version_id, package_id, path, sha256, size_in_bytes, content_type,
         created_at) VALUES (?1, ?1, ?2, ?2, ?3, 'x', ?4)`,
      package_id,
      sha256,
      size,
      now,
    )
  add('pkg_1', sha('a'), 3)
  add('pkg_1', sha('b'), 4)
  add('pkg_2', sha('a'), 3)
  add('pkg_3', sha('a'), 3)
  db.run('INSERT INTO image_blobs VALUES (?, ?, ?, ?, ?)', 'pkg_2', 'x', sha('b'), 4, now)
  // Rows without parents are no business of this test.
  db.exec(migrations.find(({ name }) => name.startsWith('0087'))?.sql ?? '')
  expect(countedBytes(db, ['one', 'two', 'three'])).toEqual([7, 3, 0])
  db.run('DELETE FROM packages WHERE id = ?', 'pkg_1')
  expect(countedBytes(db, ['one', 'two'])).toEqual([7, 3])
  db.run('DELETE FROM packages WHERE id = ?', 'pkg_2')
  expect(countedBytes(db, ['one', 'two'])).toEqual([0, 3])
  db.close()
})
