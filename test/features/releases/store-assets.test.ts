/**
 * Files of releases as the rest of the house sees them: the doctor, backups, and the end of a
 * repository.
 */
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openPlace, readManifest, restoreBackup } from '#backup'
import { blobPath, sweepBlobs } from '#core/blobs.ts'
import { insertJob } from '#core/jobs.ts'
import { createBackup } from '#features/backups/create-backup.ts'
import { examine } from '#features/backups/index.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { DAY } from '#lib/time.ts'
import { backupSettings, folder } from '../backups/forge.ts'
import { makeReleaseWorld } from './fixture.ts'

test('the doctor names a file that is missing, and one that no release names', async () => {
  const { world, release, upload } = await makeReleaseWorld()
  const asset = await upload((await release('v1')).id, 'a.txt', 'kept')
  const told = async () =>
    (await examine(world.hearth))
      .filter(({ check }) => check === 'files')
      .map(({ finding }) => finding.problem)
  expect(await told()).toEqual([])
  const stray = blobPath(world.hearth, 'ab'.repeat(32))
  mkdirSync(dirname(stray), { recursive: true })
  writeFileSync(stray, 'nobody’s')
  const old = (world.clock.now() - 2 * DAY) / 1000
  utimesSync(stray, old, old)
  rmSync(blobPath(world.hearth, asset.sha256))
  expect(await told()).toEqual([
    expect.stringContaining(`blobs: 1 missing: ${asset.sha256.slice(0, 2)}/${asset.sha256}`),
    expect.stringContaining('blobs: 1 that nothing refers to'),
  ])
})

test('a backup brings the files back', async () => {
  const to = folder()
  const { world, release, upload } = await makeReleaseWorld({ settings: backupSettings({ to }) })
  const asset = await upload((await release('v1')).id, 'a.txt', 'worth keeping')
  const admin = await world.user('root', { site_admin: true })
  const { id } = await world.call(createBackup, admin, {})
  await world.jobs()
  const place = openPlace(to, null)
  const target = join(folder(), 'data')
  await restoreBackup(
    place,
    await readManifest(place, id),
    { target, identities: [] },
    () => {},
    new AbortController().signal,
  )
  expect(readFileSync(join(target, 'blobs', asset.sha256.slice(0, 2), asset.sha256), 'utf8')).toBe(
    'worth keeping',
  )
}, 120_000)

test('a purged repository frees its files, but not those that another one has too', async () => {
  const { world, ada, release, upload } = await makeReleaseWorld()
  const { createRelease } = await import('#features/releases/create-release.ts')
  const { uploadReleaseAsset } = await import('#features/releases/upload-release-asset.ts')
  await world.repo('acme/other')
  await world.commit('acme/other', 'main', { a: 'a' })
  const other = await world.call(createRelease, ada, { repo: 'acme/other', tag_name: 'v1' })
  await world.call(uploadReleaseAsset, ada, {
    repo: 'acme/other',
    id: other.id,
    name: 'both',
    data: Buffer.from('both').toString('base64'),
  })
  const made = await release('v1')
  const [own, both] = [await upload(made.id, 'own', 'own'), await upload(made.id, 'both', 'both')]
  await world.call(deleteRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
  await world.call(purgeRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
  await world.jobs()
  expect(world.hearth.db.all('SELECT id FROM releases')).toEqual([{ id: other.id }])
  world.clock.advance(2 * DAY)
  await world.write((tx) => void insertJob(tx.db, sweepBlobs, null, tx.now_ms))
  await world.jobs()
  expect([own, both].map(({ sha256 }) => existsSync(blobPath(world.hearth, sha256)))).toEqual([
    false,
    true,
  ])
})
