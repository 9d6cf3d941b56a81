/**
 * Every older forge that there is a fixture of becomes one of today, with everything in it, and
 * there is a way back.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { layout, openHearth } from '#src/app.ts'
import { rehearse } from '#src/rehearse.ts'
import { listCopies, rollBack } from '#src/upgrade.ts'
import { openDatabase, takeLock } from '#core/db.ts'
import { migrations, recordedMigrations } from '#core/migrate.ts'
import { examine } from '#features/backups/index.ts'
import { silentLog } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { testSettings } from './settings.ts'

const fixtures = join(import.meta.dir, 'fixtures', 'forges')
const root = mkdtempSync(join(tmpdir(), 'hearth-upgrade-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

type Truths = {
  migrations: string[]
  counts: Record<string, number>
  people: { username: string }[]
  refs: { repo: string; name: string; oid: string }[]
  records: { repo: string; number: number; kind: string; open: number; title: string }[]
  pulls: {
    number: number
    status: string
    head_sha: string | null
    merge_commit_sha: string | null
  }[]
  comments: { id: string; body: string }[]
  events: { type: string; n: number }[]
}

let made = 0
async function unpack(name: string): Promise<string> {
  const place = join(root, String(++made))
  mkdirSync(place)
  const child = Bun.spawn(['tar', 'xf', '-'], {
    cwd: place,
    stdin: zstdDecompressSync(readFileSync(join(fixtures, `${name}.tar.zst`))),
  })
  expect(await child.exited).toBe(0)
  return join(place, 'data')
}

const names = readdirSync(fixtures)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace(/\.json$/, ''))
const open = (data: string) =>
  openHearth({ settings: testSettings(data), log: silentLog, clock: systemClock })

describe('a forge of', () => {
  test.each(names)(
    '%s is migrated without loss',
    async (name) => {
      const truths = JSON.parse(readFileSync(join(fixtures, `${name}.json`), 'utf8')) as Truths
      const data = await unpack(name)
      // First on trial, which is the same without a change.
      const untouched = readFileSync(layout(data).database)
      const {
        steps,
        faults: broken,
        bytesBefore: small,
        bytesAfter: grown,
      } = rehearse(layout(data), layout(data).tmp, systemClock)
      expect(steps.map((step) => step.name)).toEqual(
        migrations.map((migration) => migration.name).slice(truths.migrations.length),
      )
      expect([broken, grown >= small, readdirSync(layout(data).tmp)]).toEqual([[], true, []])
      expect(readFileSync(layout(data).database).equals(untouched)).toBe(true)
      const hearth = open(data)
      try {
        const { db } = hearth
        expect(recordedMigrations(hearth.database)).toEqual(
          migrations.map((migration) => migration.name),
        )
        const counts = Object.fromEntries(
          Object.keys(truths.counts).map((table) => [
            table,
            db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? -1,
          ]),
        )
        expect(counts).toEqual(truths.counts)
        expect(db.all('SELECT username FROM actors ORDER BY username')).toEqual(truths.people)
        expect(
          db.all(
            'SELECT repos.name AS repo, refs.name, refs.oid FROM refs JOIN repos ON repos.id = refs.repo_id ORDER BY refs.repo_id, refs.name',
          ),
        ).toEqual(truths.refs)
        expect(
          db.all(
            'SELECT repos.name AS repo, number, kind, open, title FROM records JOIN repos ON repos.id = records.repo_id ORDER BY seq',
          ),
        ).toEqual(truths.records)
        expect(
          db.all('SELECT number, status, head_sha, merge_commit_sha FROM pulls ORDER BY number'),
        ).toEqual(truths.pulls)
        expect(db.all('SELECT id, body FROM comments ORDER BY id')).toEqual(truths.comments)
        expect(
          db.all('SELECT type, count(*) AS n FROM events GROUP BY type ORDER BY type'),
        ).toEqual(truths.events)
        const faults = (await examine(hearth, { copy: true }))
          .filter(({ finding }) => finding.level === 'fault')
          .map(({ check, finding }) => `${check}: ${finding.problem}`)
        expect(faults).toEqual([])
      } finally {
        await hearth.close()
      }
      // The way back: the database as it was.
      const [copy, ...more] = listCopies(layout(data).upgrades)
      expect([copy?.schema, more.length]).toEqual([truths.migrations.at(-1), 0])
      const before = openDatabase({ path: copy?.path ?? '', readonly: true })
      expect(recordedMigrations(before)).toEqual(truths.migrations)
      expect(before.one('SELECT count(*) AS n FROM records')).toEqual({
        n: truths.counts.records ?? -1,
      })
      before.close()
      expect(statSync(copy?.path ?? '').mode & 0o777).toBe(0o600)
      // Nothing to do, so no further copy.
      await open(data).close()
      expect(listCopies(layout(data).upgrades)).toHaveLength(1)
    },
    60_000,
  )
})

/**
 * What a newer executable leaves: a migration that this one does not know, and something written
 * since.
 */
function changeAsNewer(data: string): void {
  const database = openDatabase({ path: layout(data).database })
  database.run(
    `INSERT INTO migrations (name, applied_at) VALUES ('9999_future', '2099-01-01T00:00:00.000Z')`,
  )
  database.exec('CREATE TABLE future (id TEXT) STRICT')
  database.close()
}

const hasFuture = (path: string): boolean => {
  const database = openDatabase({ path, readonly: true })
  try {
    expect(database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    return recordedMigrations(database).includes('9999_future')
  } finally {
    database.close()
  }
}

test('a newer database is refused with the remedy; a rollback keeps it and touches no pack', async () => {
  const data = await unpack('0012-agents')
  await open(data).close()
  const places = layout(data)
  expect(() => rollBack(places, '2026-05-01T00:00:00.000Z')).toThrow('nothing to go back from')
  changeAsNewer(data)
  const packs = () => readdirSync(places.repos, { recursive: true }).map(String).sort()
  const before = packs()
  expect(() => open(data)).toThrow(/9999_future.*hearth rollback.*before-.*-at-0012_agents\.db/s)
  // Being asked to open it changed nothing.
  expect(hasFuture(places.database)).toBe(true)

  const release = takeLock(places.lock)
  expect(() => rollBack(places, '2026-05-01T00:00:00.000Z')).toThrow('stop that first')
  release?.()
  const { copy, kept } = rollBack(places, '2026-05-01T00:00:00.000Z')
  expect([copy.schema, hasFuture(kept), hasFuture(places.database)]).toEqual([
    '0012_agents',
    true,
    false,
  ])
  expect(packs()).toEqual(before)
  const hearth = open(data)
  expect(hearth.db.one('SELECT count(*) AS n FROM records')).toEqual({ n: 5 })
  await hearth.close()
}, 120_000)

test('a missing copy is reported, and a copy that is too new is skipped', async () => {
  const data = await unpack('0012-agents')
  await open(data).close()
  const places = layout(data)
  changeAsNewer(data)
  const [copy] = listCopies(places.upgrades)
  const newer = openDatabase({ path: copy?.path ?? '' })
  newer.run(
    `INSERT INTO migrations (name, applied_at) VALUES ('9998_future', '2099-01-01T00:00:00.000Z')`,
  )
  newer.close()
  expect(() => open(data)).toThrow('only a backup leads back')
  expect(() => rollBack(places, '2026-05-01T00:00:00.000Z')).toThrow('no copy')
  expect(hasFuture(places.database)).toBe(true)
}, 120_000)

test('three copies are kept; a failed copy stops the upgrade before it begins', async () => {
  const data = await unpack('0006-before-audit')
  const places = layout(data)
  // A file where the folder of copies belongs: nobody can write there, whatever their rights.
  mkdirSync(places.backups)
  writeFileSync(places.upgrades, '')
  expect(() => open(data)).toThrow('nothing was changed')
  const untouched = openDatabase({ path: places.database, readonly: true })
  expect(recordedMigrations(untouched).at(-1)).toBe('0006_pulls')
  untouched.close()
  rmSync(places.upgrades)
  for (let round = 1; round <= 5; round++) {
    await open(data).close()
    const database = openDatabase({ path: places.database })
    // The newest migration is to run once more.
    database.exec('DROP TABLE backups')
    database.run(`DELETE FROM migrations WHERE name = '0023_backups'`)
    database.close()
    expect(listCopies(places.upgrades)).toHaveLength(Math.min(3, round))
  }
}, 120_000)

test('the rehearsal reports a failing migration without a change', async () => {
  const data = await unpack('0012-agents')
  const places = layout(data)
  const database = openDatabase({ path: places.database })
  // What a later step makes is there already.
  database.exec('CREATE TABLE webhooks (id TEXT) STRICT')
  database.close()
  const untouched = readFileSync(places.database)
  expect(() => rehearse(places, places.tmp, systemClock)).toThrow(
    /would fail \(after 0013_access\): .*webhooks.*was not changed/,
  )
  expect(() => rehearse(places, '/proc/here', systemClock)).toThrow(
    '--scratch names another folder',
  )
  expect([
    readFileSync(places.database).equals(untouched),
    readdirSync(places.tmp),
    existsSync(places.upgrades),
  ]).toEqual([true, [], false])
  changeAsNewer(data)
  expect(() => rehearse(places, places.tmp, systemClock)).toThrow(
    /9999_future.*only a backup leads back/,
  )
}, 120_000)

test('a command does not upgrade while an older forge serves', async () => {
  const data = await unpack('0007-audit')
  mkdirSync(join(data, 'tmp'), { recursive: true })
  const release = takeLock(layout(data).lock)
  expect(() => openHearth({ settings: testSettings(data), log: silentLog, beside: true })).toThrow(
    'restart it',
  )
  release?.()
  await openHearth({ settings: testSettings(data), log: silentLog, beside: true }).close()
}, 120_000)

test('a truncated, overwritten or foreign database is refused and not changed', async () => {
  for (const damage of [
    (path: string) => truncateSync(path, 20_000),
    (path: string) =>
      writeFileSync(path, 'this is no database, and long enough to look at it for one'.repeat(100)),
  ]) {
    const data = await unpack('0012-agents')
    const { database } = layout(data)
    damage(database)
    const before = readFileSync(database)
    expect(() => open(data)).toThrow(/is damaged.*restore a backup/)
    expect(Buffer.compare(readFileSync(database), before)).toBe(0)
    chmodSync(data, 0o700)
    expect(existsSync(layout(data).upgrades)).toBe(false)
  }
}, 120_000)
