import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { createBackup } from '#features/backups/create-backup.ts'
import { verifyBackup } from '#features/backups/verify-backup.ts'
import { findBackup } from '#features/backups/store.ts'
import { runBackupSchedule } from '#features/backups/schedule.ts'
import { refusal } from '../../world.ts'
import { folder, makeFurnished } from './forge.ts'

async function make(forge: Awaited<ReturnType<typeof makeFurnished>>) {
  forge.world.clock.advance(1000)
  const { id } = await forge.world.call(createBackup, forge.ada, {})
  await forge.world.jobs()
  return id
}

async function verify({ world, ada }: Awaited<ReturnType<typeof makeFurnished>>, id: string) {
  expect((await world.call(verifyBackup, ada, { id })).verification).toMatchObject({
    state: 'queued',
    findings: [],
  })
  expect(await refusal(world.call(verifyBackup, ada, { id }))).toMatchObject({
    reason: 'in_progress',
  })
  await world.jobs()
  const row = findBackup(world.hearth.db, id)
  return {
    state: row?.verification,
    by: row?.verified_by,
    findings: JSON.parse(row?.findings ?? '[]') as string[],
  }
}

test('a sound backup is restored, opened and examined, and nothing of the copy is left', async () => {
  const forge = await makeFurnished({ to: folder() })
  const id = await make(forge)
  expect(await verify(forge, id)).toEqual({ state: 'passed', by: 'restoring', findings: [] })
  expect(
    readdirSync(join(forge.world.data, 'tmp')).filter((name) => name.includes('bkp_')),
  ).toEqual([])
  expect(forge.world.events('backup.failed')).toEqual([])
  expect(
    await refusal(forge.world.call(verifyBackup, forge.ada, { id: 'bkp_none' })),
  ).toMatchObject({ code: 'not_found' })
}, 120_000)

test('a part that is damaged, cut off or missing is found and named, and told to administrators', async () => {
  const to = folder()
  const forge = await makeFurnished({ to })
  const id = await make(forge)
  const parts = readdirSync(join(to, 'files'), { recursive: true })
    .map(String)
    .filter((name) => /^..\/[0-9a-f]{64}/.test(name))
    .map((name) => join(to, 'files', name))
  const pack = parts.find((path) => readFileSync(path).subarray(0, 4).toString() === 'PACK') ?? ''
  const whole = readFileSync(pack)
  const damages: [string, () => void][] = [
    ['is damaged', () => writeFileSync(pack, Buffer.from(whole).fill(0, 20, 21))],
    ['is damaged', () => truncateSync(pack, 20)],
    ['is missing', () => rmSync(pack)],
  ]
  for (const [words, damage] of damages) {
    damage()
    const { state, findings } = await verify(forge, id)
    expect([state, findings.length, findings[0]?.includes(words)]).toEqual(['failed', 1, true])
    writeFileSync(pack, whole)
  }
  expect(forge.world.events('backup.failed').map(({ data }) => data.what)).toEqual([
    'verify',
    'verify',
    'verify',
  ])
  expect((await verify(forge, id)).state).toBe('passed')
}, 120_000)

test('damage that was there before the backup was made is found too', async () => {
  const forge = await makeFurnished({ to: folder() })
  const { hearth } = forge.world
  const { store } = hearth.db.one<{ store: string }>(
    `SELECT store FROM repos WHERE name = 'site'`,
  ) ?? { store: '' }
  const packs = join(forge.world.data, 'repos', store, 'objects', 'pack')
  const pack = join(packs, readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '')
  const bytes = readFileSync(pack)
  bytes[bytes.length - 30] = (bytes[bytes.length - 30] ?? 0) ^ 0xff
  rmSync(pack)
  writeFileSync(pack, bytes)
  const id = await make(forge)
  const { state, findings } = await verify(forge, id)
  expect([state, findings.some((line) => line.startsWith(`git stores: ${store}: `))]).toEqual([
    'failed',
    true,
  ])
}, 120_000)

test('without the key an encrypted backup is held against its sums; with it, it is restored', async () => {
  const identity = await generateX25519Identity()
  const to = folder()
  const forge = await makeFurnished({ to, recipients: [await identityToRecipient(identity)] })
  const id = await make(forge)
  expect(await verify(forge, id)).toEqual({ state: 'passed', by: 'sums', findings: [] })
  const key = join(folder(), 'key.txt')
  writeFileSync(key, `# made for a test\n${identity}\n`)
  ;(forge.world.hearth.settings.backups as { identity: string | null }).identity = key
  expect(await verify(forge, id)).toEqual({ state: 'passed', by: 'restoring', findings: [] })
}, 120_000)

test('the settings make backups by themselves, clear old ones, and have the newest proved', async () => {
  const hour = 3_600_000
  const forge = await makeFurnished({
    to: folder(),
    every_ms: 6 * hour,
    verify_every_ms: 20 * hour,
    keep: { last: 2, daily: 0, weekly: 0, monthly: 0 },
  })
  const { world } = forge
  const { hearth } = world
  const sweep = async () => {
    await world.write((tx) => tx.enqueue(runBackupSchedule, null))
    await world.jobs()
  }
  const states = () =>
    hearth.db.all<{ scheduled: number; state: string; verification: string | null }>(
      'SELECT scheduled, state, verification FROM backups ORDER BY id',
    )
  await sweep()
  expect(states()).toEqual([{ scheduled: 1, state: 'done', verification: null }])
  await sweep()
  expect(states()).toEqual([{ scheduled: 1, state: 'done', verification: 'passed' }])
  for (let round = 0; round < 3; round++) {
    world.clock.advance(5 * hour)
    await sweep()
    world.clock.advance(hour)
    await sweep()
  }
  // Two are kept. The proof of the first went with it, so the next one was proved too.
  expect(states()).toEqual([
    { scheduled: 1, state: 'done', verification: 'passed' },
    { scheduled: 1, state: 'done', verification: null },
  ])
  // A clock that is set back does not stop it.
  world.clock.advance(-1000 * hour)
  await sweep()
  expect(hearth.db.all('SELECT 1 FROM backups')).toHaveLength(2)
  expect(hearth.db.all(`SELECT 1 FROM jobs WHERE state = 'failed'`)).toEqual([])
}, 120_000)
