import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { contentOf, openPlace, readManifest, requireBackup, restoreBackup } from '#backup'
import { condition } from '#features/backups/condition.ts'
import { createBackup } from '#features/backups/create-backup.ts'
import { findBackup } from '#features/backups/store.ts'
import { installationKey } from '#lib/installation-key.ts'
import { makeWorld, refusal } from '../../world.ts'
import { folder, makeFurnished } from './forge.ts'

const never = new AbortController().signal
const quiet = () => {}

test('a backup is made by a job, holds everything that lasts, and the next one adds only what is new', async () => {
  const to = folder()
  const { world, ada, tip } = await makeFurnished({ to })
  installationKey(world.data)
  mkdirSync(join(world.data, 'lfs', 'ab'), { recursive: true })
  writeFileSync(join(world.data, 'lfs', 'ab', 'large'), 'large '.repeat(1000))
  writeFileSync(join(world.data, 'search.db'), 'an index that somebody writes to')
  writeFileSync(join(world.data, 'cache.db'), 'what can be found again')
  writeFileSync(join(world.data, 'hearth.toml'), 'site_url = "https://x.test"\n')
  const begun = await world.call(createBackup, ada, { name: 'before the move' })
  expect(begun).toMatchObject({
    state: 'queued',
    name: 'before the move',
    place: to,
    encrypted: false,
    created_by: { username: 'ada' },
    verification: null,
  })
  // One at a time.
  expect(await refusal(world.call(createBackup, ada, {}))).toMatchObject({
    code: 'conflict',
    reason: 'in_progress',
  })
  await world.jobs()
  const row = findBackup(world.hearth.db, begun.id)
  expect(row).toMatchObject({
    state: 'done',
    repositories: 2,
    error: null,
    progress: null,
    notes: '[]',
  })
  expect(readdirSync(join(world.data, 'tmp')).filter((name) => name.startsWith('backup-'))).toEqual(
    [],
  )

  const place = openPlace(to, null)
  const manifest = await readManifest(place, begun.id)
  const paths = (await contentOf(manifest, [])).files.map(({ path }) => path)
  expect(paths).toContain('hearth.db')
  expect(paths).toContain('lfs/ab/large')
  expect(paths.filter((path) => path.endsWith('.pack')).length).toBeGreaterThanOrEqual(2)
  // What must not leave the machine in the clear.
  for (const path of [
    'secrets/installation.key',
    'hearth.toml',
    'tmp/control.json',
    'hearth.db-wal',
    'search.db',
    'cache.db',
  ])
    expect(paths).not.toContain(path)

  await world.commit('acme/site', 'main', { 'd.txt': 'new\n' })
  world.clock.advance(1000)
  const second = await world.call(createBackup, ada, {})
  await world.jobs()
  const added = findBackup(world.hearth.db, second.id)
  expect(added?.state).toBe('done')
  const packs = (list: string[]) => list.filter((path) => path.endsWith('.pack'))
  const after = (await contentOf(await readManifest(place, second.id), [])).files
  expect(packs(after.map(({ path }) => path)).length).toBe(packs(paths).length + 1)
  // Parts of files that are as they were are shared.
  const shared = after.filter(({ path }) => paths.includes(path) && path.endsWith('.pack'))
  const parts = new Set(Object.keys(manifest.parts))
  for (const { parts: names } of shared)
    for (const name of names) expect(parts.has(name)).toBe(true)

  const target = join(folder(), 'data')
  await restoreBackup(place, manifest, { target, identities: [] }, quiet, never)
  expect(readFileSync(join(target, 'lfs', 'ab', 'large'), 'utf8')).toBe('large '.repeat(1000))
  const copy = await reopen(target)
  expect(copy.db.all(`SELECT title FROM records ORDER BY seq`)).toEqual([
    { title: 'The door squeaks' },
    { title: 'So does the gate' },
  ])
  const store =
    copy.db.one<{ store: string }>(`SELECT store FROM repos WHERE name = 'site'`)?.store ?? ''
  expect((await copy.git.readCommit(store, tip))?.oid).toBe(tip)
  expect(await copy.git.verify(store, [tip])).toEqual([])
  // The job that made the backup ran when the copy was taken; it finds its work done.
  expect(copy.db.one(`SELECT state FROM backups WHERE id = ?`, begun.id)).toEqual({
    state: 'running',
  })
  await copy.jobs.start()
  await copy.jobs.idle()
  expect(copy.db.one(`SELECT state, error FROM backups WHERE id = ?`, begun.id)).toEqual({
    state: 'done',
    error: null,
  })
  await copy.close()
}, 120_000)

async function reopen(data: string) {
  const { openHearth } = await import('#src/app.ts')
  const { silentLog } = await import('#lib/log.ts')
  const { testSettings } = await import('../../settings.ts')
  return openHearth({ settings: testSettings(data), log: silentLog })
}

test('encrypted backups open only with the key, tell nothing of what is in them, and bring the installation key along', async () => {
  const to = folder()
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  const { world, ada } = await makeFurnished({ to, recipients: [recipient] })
  const key = Buffer.from(installationKey(world.data)).toString('hex')
  const { id, encrypted } = await world.call(createBackup, ada, {})
  expect(encrypted).toBe(true)
  await world.jobs()
  expect(findBackup(world.hearth.db, id)?.state).toBe('done')
  const place = openPlace(to, null)
  const manifest = await requireBackup(place, null)
  expect([manifest.id, manifest.content]).toEqual([id, null])
  for (const name of readdirSync(to, { recursive: true }).map(String)) {
    const path = join(to, name)
    const text = name.includes('.') || !existsSync(path) ? readIfFile(path) : ''
    for (const word of ['The door squeaks', 'acme', 'installation.key', key])
      expect(text.includes(word)).toBe(false)
  }
  const target = join(folder(), 'data')
  const restore = (identities: string[]) =>
    restoreBackup(place, manifest, { target, identities }, quiet, never)
  await expect(restore([])).rejects.toThrow('--identity')
  await expect(restore([await generateX25519Identity()])).rejects.toThrow('another one')
  expect(existsSync(target)).toBe(false)
  await restore([identity])
  expect(readFileSync(join(target, 'secrets', 'installation.key'), 'utf8').trim()).toBe(key)

  // What is there already is not encrypted and written again.
  world.clock.advance(1000)
  const second = await world.call(createBackup, ada, {})
  await world.jobs()
  const again = await readManifest(place, second.id)
  const before = new Set(Object.keys(manifest.parts))
  const fresh = Object.keys(again.parts).filter((name) => !before.has(name))
  // The database is another, and little else.
  expect(fresh.length).toBeLessThanOrEqual(2)
  expect(Object.keys(again.parts).length).toBeGreaterThan(5)
}, 120_000)

const readIfFile = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

test('a backup that cannot be made is told: in the list, as an event, and by mail to administrators', async () => {
  const blocked = join(folder(), 'a-file')
  writeFileSync(blocked, '')
  const { world, ada } = await makeFurnished({ to: join(blocked, 'inside') })
  await world.user('bob')
  const { id } = await world.call(createBackup, ada, {})
  await world.jobs()
  expect(findBackup(world.hearth.db, id)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining(blocked),
  })
  expect(
    world
      .events('backup.failed')
      .map(({ data, workspace_id, actor_id }) => ({ data, workspace_id, actor_id })),
  ).toEqual([
    {
      data: {
        backup: id,
        name: null,
        place: join(blocked, 'inside'),
        what: 'create',
        error: expect.stringContaining(blocked),
      },
      workspace_id: 'site',
      actor_id: null,
    },
  ])
  await world.jobs()
  const outbox = () =>
    readdirSync(join(world.data, 'outbox')).filter((name) => name.includes('-backup-'))
  expect(outbox()).toEqual([expect.stringContaining('ada@example.com')])
  expect(readFileSync(join(world.data, 'outbox', outbox()[0] ?? ''), 'utf8')).toContain(
    'could not be made',
  )
  // While it goes on failing, one mail a day.
  for (const hours of [1, 1, 23]) {
    world.clock.advance(hours * 3_600_000)
    await world.call(createBackup, ada, {})
    await world.jobs()
  }
  expect(world.events('backup.failed')).toHaveLength(4)
  expect(outbox()).toHaveLength(2)
  // One that was asked for counts like one by schedule, until one goes well.
  expect(condition(world.hearth)).toMatchObject({
    state: 'failing',
    detail: expect.stringContaining(blocked),
  })
  rmSync(blocked)
  await world.call(createBackup, ada, {})
  await world.jobs()
  expect(condition(world.hearth)).toMatchObject({ state: 'ok' })
}, 120_000)

test('only site administrators reach backups', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob')
  expect(await refusal(world.call(createBackup, bob, {}))).toMatchObject({
    code: 'forbidden',
    reason: 'role',
  })
  expect(world.hearth.db.all('SELECT 1 FROM backups')).toEqual([])
})

test('objects that maintenance and purges take away meanwhile are in the backup all the same', async () => {
  const { collectSources: gather } = await import('#features/backups/collect-sources.ts')
  const { world } = await makeFurnished()
  const staging = join(world.data, 'tmp', 'held')
  const { store } = world.hearth.db.one<{ store: string }>(
    `SELECT store FROM repos WHERE name = 'site'`,
  ) ?? { store: '' }
  let during = 0
  const gathered = gather(world.data, staging, {
    secrets: false,
    copied: () => {
      during++
      rmSync(join(world.data, 'repos', store), { recursive: true })
    },
  })
  expect(during).toBe(1)
  const held = gathered.sources.filter(
    ({ path }) => path.startsWith(`repos/${store}/`) && path.endsWith('.pack'),
  )
  expect(held.length).toBeGreaterThan(0)
  for (const { file } of held)
    expect(readFileSync(String(file)).subarray(0, 4).toString()).toBe('PACK')
  expect(gathered.notes).toEqual([])
})

test('two forges with one place for backups prune their own, and say that there are others', async () => {
  const to = folder()
  const one = { last: 1, daily: 0, weekly: 0, monthly: 0 }
  const [mine, theirs] = [
    await makeFurnished({ to, keep: one }),
    await makeFurnished({ to, keep: one }),
  ]
  const made: string[][] = [[], []]
  for (let round = 0; round < 2; round++)
    for (const [at, { world, ada }] of [mine, theirs].entries()) {
      world.clock.advance(60_000)
      made[at]?.push((await world.call(createBackup, ada, {})).id)
      await world.jobs()
    }
  const left = readdirSync(join(to, 'backups')).map((name) => name.replace('.json', ''))
  expect(left.toSorted()).toEqual(made.map((ids) => ids.at(-1) ?? '').toSorted())
  const notes = findBackup(theirs.world.hearth.db, made[1]?.at(-1) ?? '')?.notes ?? ''
  expect(JSON.parse(notes)).toEqual([
    `${to} also has backups of another data directory (1), which are not pruned: give each forge a place of its own`,
  ])
  expect(existsSync(join(to, 'storage.id'))).toBe(false)
  const manifest = await requireBackup(openPlace(to, null), made[0]?.at(-1) ?? '')
  const paths = (await contentOf(manifest, [])).files.map(({ path }) => path)
  expect(paths).toContain('hearth.db')
  expect(paths).not.toContain('storage.id')
}, 60_000)
