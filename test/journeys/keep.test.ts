/**
 * Keeping a forge, with the built executable: backups under load, lost directories, full disks,
 * processes that are killed.
 */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runDrill, hearth as command } from '../system/drill/run.ts'
import { EXECUTABLE, requireExecutable, startForge } from './forge.ts'

await requireExecutable()
const root = mkdtempSync(join(tmpdir(), 'hearth-keep-'))
const mounted = new Set<string>()
afterAll(async () => {
  for (const path of mounted) await Bun.spawn(['umount', path]).exited
  rmSync(root, { recursive: true, force: true })
})

let made = 0
const folder = (): string => {
  const path = join(root, String(++made))
  mkdirSync(path)
  return path
}
const hearth = (...args: string[]) => command(EXECUTABLE, args)
const backupsOf = (place: string): string[] =>
  existsSync(join(place, 'backups')) ? readdirSync(join(place, 'backups')).sort() : []

/** A stopped forge with a repository of some size. */
async function furnished(): Promise<string> {
  const directory = folder()
  const data = join(directory, 'data')
  expect(
    await hearth('setup', '--username', 'ada', '--email', 'ada@example.com', '--data', data),
  ).toMatchObject({ status: 0 })
  return data
}

test('a forge under load is backed up, its directory destroyed and restored: every acknowledged change before the backup is there', async () => {
  const seed = Math.floor(Math.random() * 1_000_000_000)
  for (const encrypted of [false, true]) {
    const report = await runDrill({
      executable: EXECUTABLE,
      directory: folder(),
      seed,
      rounds: 1,
      backups: 2,
      contributors: 2,
      encrypted,
    })
    if (report.problems.length > 0)
      throw new Error(`with seed ${seed}:\n${report.problems.join('\n')}`)
    expect([report.rounds, report.backups]).toEqual([1, 2])
    // Rounds in which nothing was acknowledged would prove nothing.
    expect(report.checked).toBeGreaterThan(0)
    expect(report.repositories).toBeGreaterThan(0)
  }
}, 240_000)

test('a backup that is killed leaves the forge and older backups whole, and the next one is made', async () => {
  const data = await furnished()
  const place = folder()
  expect((await hearth('backup', 'create', '--data', data, '--to', place)).status).toBe(0)
  const first = backupsOf(place)
  for (const wait of [30, 80, 120, 160, 220, 300]) {
    writeFileSync(join(data, `large-${wait}`), crypto.getRandomValues(new Uint8Array(60_000)))
    const child = Bun.spawn([EXECUTABLE, 'backup', 'create', '--data', data, '--to', place], {
      env: {},
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await Bun.sleep(wait)
    child.kill('SIGKILL')
    await child.exited
    // Whatever is listed is whole.
    const { out, status } = await hearth('backup', 'list', place)
    expect([status, out.includes('damaged')]).toEqual([0, false])
    for (const name of backupsOf(place))
      expect(
        (await hearth('backup', 'restore', join(place, 'backups', name), '--check')).status,
      ).toBe(0)
  }
  expect(backupsOf(place)).toContain(first[0] ?? 'none')
  const again = await hearth('backup', 'create', '--data', data, '--to', place)
  expect([again.error, again.status]).toEqual(['', 0])
  expect(readdirSync(join(data, 'tmp')).filter((name) => name.startsWith('backup-bkp'))).toEqual([])
  // The forge says of those that nobody finished that they failed, once it serves.
  const forge = await startForge({ directory: join(data, '..'), setup: false })
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  const unfinished = () =>
    db
      .query<{ n: number }, []>(
        `SELECT count(*) AS n FROM backups WHERE state IN ('queued', 'running')`,
      )
      .get()?.n
  // A job of the first minute does it; this ends by the limit of the test if it never runs.
  while (unfinished() !== 0) await Bun.sleep(50)
  db.close()
  await forge.stop()
}, 120_000)

test('a restore that is killed leaves nothing that starts, and goes on when it is begun again', async () => {
  const data = await furnished()
  for (let at = 0; at < 40; at++)
    writeFileSync(join(data, `file-${at}`), crypto.getRandomValues(new Uint8Array(50_000)))
  const place = folder()
  await hearth('backup', 'create', '--data', data, '--to', place)
  let cut = 0
  // On a busy machine a restore may come to its end before it is killed, so there are more until one did not.
  for (let round = 0; round < 3 || cut === 0; round++) {
    const wait = [0, 3, 12][round] ?? 0
    const target = join(folder(), 'data')
    const child = Bun.spawn([EXECUTABLE, 'backup', 'restore', place, '--data', target], {
      env: {},
      stdout: 'ignore',
      stderr: 'ignore',
    })
    while (child.exitCode === null && !existsSync(join(target, 'RESTORE-UNFINISHED.json')))
      await Bun.sleep(1)
    await Bun.sleep(wait)
    child.kill('SIGKILL')
    await child.exited
    if (existsSync(join(target, 'RESTORE-UNFINISHED.json'))) {
      // One look at what refuses to start beside the mark is enough.
      if (cut++ === 0)
        for (const args of [
          ['serve', '--listen', '127.0.0.1:0'],
          ['doctor'],
          ['setup', '--username', 'x', '--email', 'x@example.com'],
        ]) {
          const { status, error } = await hearth(...args, '--data', target)
          expect([status, /did not come to its end|there is no forge/.test(error)]).toEqual([
            1,
            true,
          ])
        }
    }
    const again = await hearth('backup', 'restore', place, '--data', target)
    // One that came to its end just before is not empty.
    if (!again.error.includes('is not empty')) expect([again.error, again.status]).toEqual(['', 0])
    const { status, out } = await hearth('doctor', '--data', target)
    expect([status, out.includes('database: sound')]).toEqual([0, true])
    for (let at = 0; at < 40; at++)
      expect(
        Buffer.compare(
          readFileSync(join(target, `file-${at}`)),
          readFileSync(join(data, `file-${at}`)),
        ),
      ).toBe(0)
  }
}, 120_000)

test('a rollback that is killed leaves either database whole', async () => {
  const data = await furnished()
  const path = join(data, 'hearth.db')
  const upgrades = join(data, 'backups', 'upgrades')
  mkdirSync(upgrades, { recursive: true, mode: 0o700 })
  const old = new Database(path)
  const newest = (old.query('SELECT max(name) AS name FROM migrations').get() as { name: string })
    .name
  old.run(`VACUUM INTO ?`, [join(upgrades, `before-2026-01-01T00-00-00.000Z-at-${newest}.db`)])
  old.close()
  const isNewer = (): boolean => {
    const db = new Database(path, { readonly: true })
    try {
      expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      return db.query(`SELECT 1 FROM migrations WHERE name = '9999_future'`).get() !== null
    } finally {
      db.close()
    }
  }
  for (const wait of [40, 70, 90, 110, 130, 160, 200]) {
    const db = new Database(path)
    db.run(
      `INSERT OR IGNORE INTO migrations (name, applied_at) VALUES ('9999_future', '2099-01-01T00:00:00.000Z')`,
    )
    db.close()
    const { error } = await hearth('serve', '--listen', '127.0.0.1:0', '--data', data)
    expect(error).toContain('hearth rollback')
    const child = Bun.spawn([EXECUTABLE, 'rollback', '--data', data], {
      env: {},
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await Bun.sleep(wait)
    child.kill('SIGKILL')
    await child.exited
    if (!isNewer()) continue
    expect(await hearth('rollback', '--data', data)).toMatchObject({ status: 0, error: '' })
    expect(isNewer()).toBe(false)
  }
  expect((await hearth('doctor', '--data', data)).status).toBe(0)
}, 120_000)

/** Writes until nothing more fits, but for so many bytes. */
function fill(disk: string, but = 0): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(join(disk, 'ballast'), new Uint8Array(Math.max(0, bavail * bsize - but)))
}

/** A small file system of its own; null where that is not allowed. */
async function small(megabytes: number): Promise<string | null> {
  const path = folder()
  const status = await Bun.spawn(
    ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path],
    { stdout: 'ignore', stderr: 'ignore' },
  ).exited
  if (status !== 0) return null
  mounted.add(path)
  return path
}

test('a full disk stops a backup, a restore and an upgrade in words, and harms nothing', async () => {
  const disk = await small(12)
  // Only root may mount; the same errors by other means are in the tests of the parts.
  if (disk === null) return
  const data = await furnished()
  writeFileSync(join(data, 'large'), crypto.getRandomValues(new Uint8Array(60_000)))
  const place = folder()
  expect((await hearth('backup', 'create', '--data', data, '--to', place)).status).toBe(0)

  // No room where backups go.
  const full = join(disk, 'place')
  fill(disk)
  const refused = await hearth('backup', 'create', '--data', data, '--to', full)
  expect([
    refused.status,
    refused.error.includes('no space left'),
    refused.error.trim().split('\n').length,
  ]).toEqual([1, true, 1])
  expect(backupsOf(full)).toEqual([])
  // No room where it is restored.
  const target = join(disk, 'restored')
  const early = await hearth('backup', 'restore', place, '--data', target)
  expect([early.status, early.error.includes('has not the space')]).toEqual([1, true])
  expect(existsSync(target)).toBe(false)
  rmSync(join(disk, 'ballast'))
  expect((await hearth('backup', 'restore', place, '--data', target)).status).toBe(0)

  // No room for the copy before an upgrade: the old database stays as it was.
  const old = new Database(join(target, 'hearth.db'))
  old.run('PRAGMA journal_mode = WAL')
  old.run(`DROP TABLE backups`)
  old.run(`DELETE FROM migrations WHERE name = '0023_backups'`)
  old.close()
  fill(disk, 300_000)
  const upgrade = await hearth('migrate', '--data', target)
  expect([upgrade.status, upgrade.error]).toEqual([
    1,
    expect.stringContaining('nothing was changed'),
  ])
  rmSync(join(disk, 'ballast'))
  expect((await hearth('migrate', '--data', target)).out).toContain('ran 0023_backups')
  expect((await hearth('doctor', '--data', target)).out).toContain('database: sound')
}, 120_000)

test('a place that can only be read, a pack that is damaged and a database that is torn are named', async () => {
  const data = await furnished()
  const readonly = await small(8)
  if (readonly !== null) {
    await Bun.spawn(['mount', '-o', 'remount,ro', readonly]).exited
    const { status, error } = await hearth('backup', 'create', '--data', data, '--to', readonly)
    expect([status, error.includes('can only be read')]).toEqual([1, true])
    const onto = await hearth('backup', 'restore', join(data, 'nowhere'), '--data', readonly)
    expect(onto.status).toBe(1)
  }
  const torn = folder()
  copyFileSync(join(data, 'hearth.db'), join(torn, 'hearth.db'))
  truncateSync(join(torn, 'hearth.db'), 100_000)
  for (const args of [['serve', '--listen', '127.0.0.1:0'], ['doctor'], ['backup', 'create']]) {
    const { status, error } = await hearth(...args, '--data', torn)
    expect([
      args[0],
      status,
      error.includes('is damaged'),
      error.trim().split('\n').length,
    ]).toEqual([args[0], 1, true, 1])
  }
  // What is open to others is closed by the doctor.
  chmodSync(join(data, 'secrets'), 0o755)
  const open = await hearth('doctor', '--data', data)
  expect([open.status, open.out.includes('is open to others (755)')]).toEqual([1, true])
  const fixed = await hearth('doctor', '--fix', '--data', data)
  expect([fixed.status, fixed.out.includes('mended: set')]).toEqual([0, true])
  expect((await hearth('doctor', '--data', data)).out).toContain('permissions: sound')
}, 120_000)
