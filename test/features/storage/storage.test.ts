import { expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { localBlob, storeBlob } from '#core/blobs.ts'
import { conditions } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import type { Settings } from '#core/settings.ts'
import { runAs } from '#core/principal.ts'
import { exportWorkspace } from '#features/transfer/index.ts'
import { examine } from '#features/backups/index.ts'
import { repoByPath } from '#features/repos/index.ts'
import { removePurgedRepo } from '#features/repos/lifecycle/purge-job.ts'
import { maintainBucket } from '#features/storage/maintain-bucket.ts'
import { directoryPlace, requireBackup, restoreBackup } from '#backup'
import { buildBackup } from '#features/backups/build-backup.ts'
import { buildTask } from '#features/backups/backup-settings.ts'
import { Exchange } from '#http/exchange.ts'
import { GitServer } from '#http/git/git-server.ts'
import { createReadinessCheck } from '#http/readiness.ts'
import { Refusal } from '#lib/errors.ts'
import { silentLog } from '#lib/log.ts'
import { makeWorld, refusal, type World } from '../../world.ts'
import { startS3, type S3Server } from './s3-server.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const never = new AbortController().signal

const storage = (s3: S3Server, local_bytes: number | null = null): Pick<Settings, 'storage'> => ({
  storage: {
    bucket: 'hearth',
    prefix: 'forge',
    s3: { endpoint: s3.endpoint, region: 'us-east-1', access_key: 'a', secret_key: 'b' },
    local_bytes,
  },
})

/** Something that does not compress. */
const noise = (length: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString('hex')

async function furnished(local_bytes: number | null = null) {
  const s3 = startS3()
  const world = await makeWorld(storage(s3, local_bytes))
  await world.workspace('acme')
  await world.repo('acme/site')
  const tip = await world.commit('acme/site', 'main', { 'a.txt': noise(5000), 'b/c.txt': 'c\n' })
  await world.jobs()
  const store = repoByPath(world.hearth.db, 'acme/site')?.store ?? ''
  return { s3, world, tip, store, packs: join(world.data, 'repos', store, 'objects', 'pack') }
}

const run = (hearth: Hearth, job: Job<null>) =>
  job.run({ hearth, signal: never, attempt: 1, id: 'job' }, null)
const round = async (world: World) => {
  await run(world.hearth, maintainBucket)
  await world.jobs()
}
/** Some time passes in which nobody asks for anything; what follows a push is done by then. */
const rest = async (world: World) => {
  for (let at = 0; at < 3; at++) {
    world.clock.advance(2 * MINUTE)
    await world.jobs()
  }
  world.clock.advance(2 * MINUTE)
  await round(world)
}
const endingWith = (folder: string, ending: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith(ending))
const keys = (s3: S3Server, ending: string): string[] =>
  [...s3.objects.keys()].filter((key) => key.endsWith(ending))
const state = async (hearth: Hearth) => {
  for (const ask of conditions.all(hearth)) {
    const said = await ask(hearth)
    if (said?.name === 'bucket') return said
  }
  throw new Error('nobody speaks of the bucket')
}
const copyOf = async (
  world: World,
  s3: S3Server,
  change: (data: string) => void,
): Promise<Hearth> => {
  const data = mkdtempSync(join(tmpdir(), 'hearth-second-'))
  world.hearth.database.raw.run('VACUUM INTO ?', [join(data, 'hearth.db')])
  change(data)
  return openHearth({
    settings: { ...world.hearth.settings, ...storage(s3), data },
    log: silentLog,
    clock: world.clock,
    databasePath: join(data, 'hearth.db'),
  })
}

test('what is pushed is in the bucket soon, whole, under names that tell its sum', async () => {
  const { s3, packs } = await furnished()
  const [name = ''] = endingWith(packs, '.pack')
  const bytes = readFileSync(join(packs, name))
  const sum = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const key = keys(s3, `${name.slice(0, -5)}.${sum}.pack`)[0] ?? ''
  expect(key).toStartWith('forge/repos/rep_')
  expect(Buffer.compare(s3.objects.get(key) ?? new Uint8Array(), bytes)).toBe(0)
  expect(keys(s3, '.idx').length).toBe(1)
})

test('a copy that fails is tried again, and the status of the site says so meanwhile', async () => {
  const { s3, world, packs } = await furnished()
  s3.down = true
  await world.commit('acme/site', 'main', { 'b.txt': 'b\n' })
  await world.jobs()
  expect(await state(world.hearth)).toMatchObject({
    state: 'failing',
    detail: expect.stringContaining('access is denied'),
  })
  s3.down = false
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(await state(world.hearth)).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('Nothing waits'),
  })
  const here = endingWith(packs, '.pack').map((name) => name.slice(0, -'.pack'.length))
  expect(here.every((name) => keys(s3, '.pack').some((key) => key.includes(name)))).toBe(true)
})

test('what was not used leaves this disk and comes back when it is asked for, once for all who ask', async () => {
  const { s3, world, tip, store, packs } = await furnished(0)
  const { git } = world.hearth
  await round(world)
  const before = endingWith(packs, '.pack').map((name) => [
    name,
    statSync(join(packs, name)).size,
    Math.floor(statSync(join(packs, name)).mtimeMs),
  ])
  expect(before.length).toBe(1)
  await rest(world)
  expect(endingWith(packs, '.pack')).toEqual([])
  expect([endingWith(packs, '.idx').length, endingWith(packs, '.away').length]).toEqual([1, 1])
  const size = await git.sizeOf(store)
  expect((await state(world.hearth)).detail).toMatch(
    /^[\d.]+ KiB are in s3:\/\/hearth\/forge, 1\.\d KiB of it on this machine too \(0 bytes may be\), [\d.]+ KiB only there/,
  )

  s3.requests.length = 0
  const answers = await Promise.all([
    git.readCommit(store, tip),
    git.readBlob(store, (await git.findEntry(store, tip, 'a.txt'))?.oid ?? ''),
    git.listTree(store, tip, ''),
  ])
  expect(answers.map((answer) => answer !== null)).toEqual([true, true, true])
  expect(
    s3.requests.filter((line) => line.startsWith('GET') && line.endsWith('.pack')).length,
  ).toBe(1)
  expect(
    endingWith(packs, '.pack').map((name) => [
      name,
      statSync(join(packs, name)).size,
      Math.floor(statSync(join(packs, name)).mtimeMs),
    ]),
  ).toEqual(before)
  expect(endingWith(packs, '.away')).toEqual([])
  // What is counted against quotas is all of it, wherever it is.
  expect(await git.sizeOf(store)).toBe(size)
})

test('nothing leaves that is in use, that the bucket has damaged, or that it does not have', async () => {
  const { s3, world, store, packs } = await furnished(0)
  const end = world.hearth.storage.beginUse(store)
  await rest(world)
  expect(endingWith(packs, '.pack').length).toBe(1)
  end()
  const [key = ''] = keys(s3, '.pack')
  const good = s3.objects.get(key) ?? new Uint8Array()
  s3.objects.set(key, new Uint8Array(good.length))
  await rest(world)
  expect(endingWith(packs, '.pack').length).toBe(1)
  s3.objects.delete(key)
  await rest(world)
  expect(endingWith(packs, '.pack').length).toBe(1)
  s3.objects.set(key, good)
  await rest(world)
  expect(endingWith(packs, '.pack')).toEqual([])
})

test('a bucket that is away gives 503 for its repositories and for no other, and nothing half is kept', async () => {
  const { s3, world, tip, store, packs } = await furnished(0)
  await rest(world)
  const other = await world.repo('acme/tools')
  const here = await world.commit('acme/tools', 'main', { 'x.txt': 'x\n' })
  s3.down = true
  const { git } = world.hearth
  const refused = await refusal(git.readCommit(store, tip))
  expect([refused.status, refused.reason]).toEqual([503, 'storage'])
  expect(await git.readCommit(other.id, here)).not.toBeNull()
  // git shows people what is wrong with its first question.
  const gitServer = new GitServer(world.hearth)
  const ask = async (name: string) =>
    await gitServer.handle(
      new Exchange(
        world.hearth,
        new Request(`https://hearth.test/acme/${name}.git/info/refs?service=git-upload-pack`),
      ),
    )
  const told = await ask('site')
  expect([told?.status, told?.headers.get('content-type'), await told?.text()]).toEqual([
    503,
    'text/plain; charset=utf-8',
    'what this repository holds is in a bucket that cannot be reached now: try again later\n',
  ])
  expect((await ask('tools'))?.status).toBe(200)
  expect(
    Object.values(await createReadinessCheck(world.hearth)()).filter((one) => one !== 'ok'),
  ).toEqual([])
  s3.down = false
  world.clock.advance(MINUTE)
  const [key = ''] = keys(s3, '.pack').filter((name) => name.includes(store))
  const good = s3.objects.get(key) ?? new Uint8Array()
  s3.objects.set(
    key,
    Uint8Array.from(good, (byte, at) => (at === 40 ? byte ^ 1 : byte)),
  )
  expect((await refusal(git.readCommit(store, tip))).status).toBe(503)
  expect([endingWith(packs, '.pack'), readdirSync(join(world.data, 'tmp', 'bucket'))]).toEqual([
    [],
    [],
  ])
  s3.objects.set(key, good)
  world.clock.advance(MINUTE)
  expect(await git.readCommit(store, tip)).not.toBeNull()
})

test('without room for it on this disk it stays in the bucket', async () => {
  const { world, tip, store, packs } = await furnished(0)
  await rest(world)
  const { limits } = world.hearth.settings
  Object.assign(world.hearth.settings, {
    limits: { ...limits, disk_reserve: Number.MAX_SAFE_INTEGER },
  })
  expect((await refusal(world.hearth.git.readCommit(store, tip))).message).toContain('no room')
  expect(endingWith(packs, '.pack')).toEqual([])
  Object.assign(world.hearth.settings, { limits })
  expect(await world.hearth.git.readCommit(store, tip)).not.toBeNull()
})

test('packs that maintenance replaced and stores that are purged end in the bucket, a day later', async () => {
  const { s3, world, store } = await furnished()
  for (const text of ['one', 'two']) await world.commit('acme/site', 'main', { 'a.txt': text })
  await world.jobs()
  const old = keys(s3, '.pack')
  expect(old.length).toBe(3)
  await world.hearth.git.maintain(
    store,
    world.hearth.db.all<{ oid: string }>('SELECT oid FROM refs').map(({ oid }) => oid),
  )
  await round(world)
  const all = keys(s3, '.pack')
  expect(all.length).toBeGreaterThan(3)
  await round(world)
  world.clock.advance(DAY - MINUTE)
  await round(world)
  expect(keys(s3, '.pack')).toEqual(all)
  world.clock.advance(2 * MINUTE)
  await round(world)
  expect(keys(s3, '.pack').filter((key) => old.includes(key))).toEqual([])
  expect(keys(s3, '.pack').length).toBe(1)

  await world.write(
    (tx) =>
      void tx.db.run(
        `UPDATE repos SET purged_at = ?, deleted_at = ? WHERE id = ?`,
        tx.now,
        tx.now,
        store,
      ),
  )
  await removePurgedRepo.run(
    { hearth: world.hearth, signal: never, attempt: 1, id: 'job' },
    { repo_id: store, store },
  )
  world.clock.advance(2 * 60 * MINUTE)
  await round(world)
  world.clock.advance(DAY + MINUTE)
  await round(world)
  expect(keys(s3, '.pack')).toEqual([])
})

test('uploaded files go out, leave, come back with their bytes, and end with what names them', async () => {
  const { s3, world } = await furnished(0)
  const bytes = Buffer.from(noise(3000))
  const { sha256 } = await storeBlob(
    world.hearth,
    (async function* () {
      yield bytes
    })(),
    { maxBytes: 1e9 },
  )
  await world.hearth.writer.write(() => null)
  await world.jobs()
  expect(keys(s3, sha256).length).toBe(1)
  const path = join(world.data, 'blobs', sha256.slice(0, 2), sha256)
  await rest(world)
  expect(existsSync(path)).toBe(false)
  expect(await localBlob(world.hearth, sha256)).toBe(path)
  expect(Buffer.compare(readFileSync(path), bytes)).toBe(0)
  rmSync(path)
  world.clock.advance(2 * 60 * MINUTE)
  await round(world)
  world.clock.advance(DAY + MINUTE)
  await round(world)
  expect(keys(s3, sha256)).toEqual([])
  expect(await localBlob(world.hearth, sha256)).toBeNull()
})

test('the doctor tells what is in the bucket only, and names what nobody has', async () => {
  const { s3, world, store } = await furnished(0)
  await rest(world)
  const found = async () =>
    (await examine(world.hearth))
      .filter(({ check }) => check === 'git stores' || check === 'bucket')
      .map(({ finding }) => [finding.level, finding.problem])
  expect(await found()).toEqual([
    [
      'note',
      expect.stringMatching(
        new RegExp(`^${store}: 1 pack is in s3://hearth/forge only, [\\d.]+ KiB`),
      ),
    ],
  ])
  const [key = ''] = keys(s3, '.pack')
  s3.objects.delete(key)
  expect(await found()).toEqual([
    ['fault', expect.stringMatching(/pack-[0-9a-f]{40} is neither here nor in s3/)],
  ])
})

test('the doctor mends a pack that is damaged here with what the bucket has', async () => {
  const { world, tip, store, packs } = await furnished()
  await rest(world)
  const path = join(packs, endingWith(packs, '.pack')[0] ?? '')
  const bytes = readFileSync(path)
  bytes[40] = (bytes[40] ?? 0) ^ 255
  rmSync(path)
  writeFileSync(path, bytes)
  world.hearth.git.closeFiles(store)
  const faults = (await examine(world.hearth)).filter(
    ({ check, finding }) => check === 'git stores' && finding.level === 'fault',
  )
  expect(faults.length).toBeGreaterThan(0)
  for (const { finding } of faults) await finding.repair?.run()
  expect(await world.hearth.git.verify(store, [tip])).toEqual([])
})

test('a backup holds what has left this disk', async () => {
  const { world, tip, store, packs } = await furnished(0)
  await rest(world)
  expect(endingWith(packs, '.pack')).toEqual([])
  const to = mkdtempSync(join(tmpdir(), 'hearth-place-'))
  const id = 'bkp_01kjmr4a00e1hth2v8v6s7g0z4'
  await buildBackup(
    buildTask(world.hearth.settings, { id, name: null, to, now: '2026-03-01T12:00:00.000Z' }),
    () => {},
    never,
  )
  expect(endingWith(packs, '.pack')).toEqual([])
  const place = directoryPlace(to)
  const target = join(to, 'restored')
  await restoreBackup(
    place,
    await requireBackup(place, id),
    { target, identities: [] },
    () => {},
    never,
  )
  const restored = openHearth({
    settings: { ...world.hearth.settings, storage: null, data: target },
    log: silentLog,
    clock: world.clock,
  })
  expect(await restored.git.verify(store, [tip])).toEqual([])
  await restored.close()
  rmSync(to, { recursive: true })
})

test('the archive of a workspace holds what has left this disk, files of releases too', async () => {
  const { world, packs } = await furnished(0)
  const { createRelease } = await import('#features/releases/create-release.ts')
  const { uploadReleaseAsset } = await import('#features/releases/upload-release-asset.ts')
  const ada = await world.user('ada')
  const release = await world.call(createRelease, ada, {
    repo: 'acme/site',
    tag_name: 'v1',
    target: 'main',
  } as never)
  const bytes = {
    stream: (async function* () {
      yield Buffer.from('of a release')
    })(),
    type: null,
    length: 12,
  }
  await world.call(
    uploadReleaseAsset,
    ada,
    { repo: 'acme/site', id: (release as { id: string }).id, name: 'a.txt' },
    { bytes },
  )
  await rest(world)
  expect(endingWith(packs, '.pack')).toEqual([])
  const to = mkdtempSync(join(tmpdir(), 'hearth-archive-'))
  const { manifest } = await exportWorkspace(
    world.hearth,
    'acme',
    directoryPlace(to),
    () => {},
    never,
  )
  const paths = manifest.content?.files.map(({ path }) => path) ?? []
  expect(manifest.notes).toEqual([])
  expect([
    paths.filter((path) => path.endsWith('.pack')).length,
    paths.filter((path) => path.startsWith('blobs/')).length,
  ]).toEqual([1, 1])
  rmSync(to, { recursive: true })
})

test('another machine takes over from the bucket, packs that its copy of the database does not know among them', async () => {
  const { s3, world, store } = await furnished()
  const known = join(world.data, 'known.db')
  world.hearth.database.raw.run('VACUUM INTO ?', [known])
  const later = await world.commit('acme/site', 'main', { 'late.txt': 'late\n' })
  await world.jobs()
  // Its database is behind: the last push is not in it.
  const second = await copyOf(world, s3, (data) => {
    rmSync(join(data, 'hearth.db'))
    cpSync(known, join(data, 'hearth.db'))
  })
  expect(existsSync(join(second.settings.data, 'repos', store))).toBe(false)
  expect(await second.git.readCommit(store, later)).not.toBeNull()
  expect(await second.git.verify(store, [later])).toEqual([])
  // As long as the first may still serve, the second takes nothing away.
  await run(second, maintainBucket)
  expect(await state(second)).toMatchObject({
    state: 'attention',
    detail: expect.stringContaining('hearth doctor --fix'),
  })
  const [finding] = (await examine(second)).filter(({ check }) => check === 'bucket')
  await finding?.finding.repair?.run()
  await run(second, maintainBucket)
  await run(world.hearth, maintainBucket)
  expect([(await state(second)).state, (await state(world.hearth)).state]).toEqual([
    'ok',
    'attention',
  ])
  await second.close()
  rmSync(second.settings.data, { recursive: true })
})

test('a start keeps what is away, and ends what a process that was cut off had begun', async () => {
  const { s3, world, tip, store } = await furnished(0)
  await rest(world)
  const second = await copyOf(world, s3, (data) => {
    cpSync(join(world.data, 'repos'), join(data, 'repos'), { recursive: true })
    mkdirSync(join(data, 'tmp', 'bucket'), { recursive: true })
    writeFileSync(join(data, 'tmp', 'bucket', 'half'), 'half')
  })
  expect(existsSync(join(second.settings.data, 'tmp', 'bucket', 'half'))).toBe(false)
  expect(await second.git.readCommit(store, tip)).not.toBeNull()
  await second.close()
  rmSync(second.settings.data, { recursive: true })
})

test('without its bucket a forge says which setting is missing', async () => {
  const { s3, world, tip, store } = await furnished(0)
  await rest(world)
  const second = await copyOf(world, s3, (data) =>
    cpSync(join(world.data, 'repos'), join(data, 'repos'), { recursive: true }),
  )
  const { data } = second.settings
  await second.close()
  const without = openHearth({
    settings: { ...world.hearth.settings, storage: null, data },
    log: silentLog,
    clock: world.clock,
  })
  const error = await without.git.readCommit(store, tip).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Refusal)
  expect(String(error)).toContain('storage.bucket of this site is not set')
  expect((await state(without)).state).toBe('failing')
  await without.close()
  rmSync(data, { recursive: true })
})

test('whatever a stop leaves half done, the next start finds all of it', async () => {
  const { s3, world, tip, store, packs } = await furnished(0)
  const { git, database } = world.hearth
  const row = (): unknown =>
    database.one(
      `SELECT away, unneeded_at FROM stored_files WHERE name LIKE '%.pack' AND unneeded_at IS NULL`,
    )
  await rest(world)
  // Stopped after the pack left and before that was noted.
  database.run('UPDATE stored_files SET away = 0')
  await rest(world)
  expect(row()).toEqual({ away: 1, unneeded_at: null })
  // Stopped after it came back and before its note went: the pack is what counts.
  const [note = ''] = endingWith(packs, '.away')
  const text = readFileSync(join(packs, note))
  expect(await git.readCommit(store, tip)).not.toBeNull()
  writeFileSync(join(packs, note), text)
  expect(world.hearth.storage.offloadedPacks(store)).toEqual([])
  await rest(world)
  expect([endingWith(packs, '.pack'), endingWith(packs, '.away')]).toEqual([[], [note]])
  // Stopped on the way out, between a pack and its index: on another machine that pack is none.
  const second = await copyOf(world, s3, () => {
    const [key = ''] = keys(s3, '.pack')
    s3.objects.set(key.replace(/pack-[0-9a-f]{40}/, `pack-${'0'.repeat(40)}`), Buffer.from('half'))
  })
  expect(await second.git.readCommit(store, tip)).not.toBeNull()
  expect(second.storage.offloadedPacks(store)).toEqual([])
  expect(
    readdirSync(join(second.settings.data, 'repos', store, 'objects', 'pack')).filter((name) =>
      name.includes('0'.repeat(40)),
    ),
  ).toEqual([])
  await second.close()
  rmSync(second.settings.data, { recursive: true })
})

test('packs that somebody deleted here are taken for lost, not for replaced, and come back', async () => {
  const { s3, world, tip, store, packs } = await furnished()
  await rest(world)
  const before = keys(s3, '.pack')
  for (const name of readdirSync(packs)) rmSync(join(packs, name))
  world.hearth.git.closeFiles(store)
  await rest(world)
  world.clock.advance(2 * DAY)
  await round(world)
  expect(keys(s3, '.pack').filter((key) => before.includes(key))).not.toEqual([])
  expect(await world.hearth.git.readCommit(store, tip)).not.toBeNull()
  expect(await world.hearth.git.verify(store, [tip])).toEqual([])
})

test('nothing leaves while a command is beside, and who waits for a page is told that it is on its way', async () => {
  const { s3, world, tip, store, packs } = await furnished(0)
  const beside = join(world.data, 'tmp', `git-${process.ppid}`)
  mkdirSync(beside)
  await rest(world)
  expect(endingWith(packs, '.pack').length).toBe(1)
  rmSync(beside, { recursive: true })
  await rest(world)
  expect(endingWith(packs, '.pack')).toEqual([])
  const { promise, resolve } = Promise.withResolvers<void>()
  s3.before = () => promise
  const page = runAs(
    'somebody',
    () => refusal(world.hearth.git.readCommit(store, tip)),
    performance.now() + 1,
  )
  expect((await page).message).toContain('on its way back')
  const clone = world.hearth.git.readCommit(store, tip)
  resolve()
  expect(await clone).not.toBeNull()
})

test('another bucket gets all that is here', async () => {
  const { s3, world } = await furnished()
  const all = [...s3.objects.keys()].filter((key) => key.includes('/repos/'))
  expect(all.length).toBe(2)
  await round(world)
  const settings = {
    ...world.hearth.settings,
    storage: { ...world.hearth.settings.storage, prefix: 'other' },
  } as Settings
  const second = openHearth({
    settings,
    log: silentLog,
    clock: world.clock,
    databasePath: join(world.data, 'hearth.db'),
    beside: true,
  })
  await run(second, maintainBucket)
  await second.jobs.idle()
  expect([...s3.objects.keys()].filter((key) => key.startsWith('other/repos/'))).toEqual(
    all.map((key) => key.replace('forge/', 'other/')),
  )
  await second.close()
})

test('what a stop left in the bucket and nothing knows goes after a day; what only the notes of this disk know stays', async () => {
  const { s3, world, tip, store } = await furnished(0)
  await rest(world)
  const orphan = `forge/repos/${store}/pack-${'1'.repeat(40)}.${'2'.repeat(64)}.pack`
  s3.objects.set(orphan, Buffer.from('left'))
  const strange = 'forge/repos/somebody-else'
  s3.objects.set(strange, Buffer.from('not ours'))
  // As after a rollback of the database.
  world.hearth.database.run('DELETE FROM stored_files')
  world.clock.advance(DAY + MINUTE)
  await round(world)
  expect([s3.objects.has(orphan), s3.objects.has(strange)]).toEqual([false, true])
  expect(await world.hearth.git.readCommit(store, tip)).not.toBeNull()
})
