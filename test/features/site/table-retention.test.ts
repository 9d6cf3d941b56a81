import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBrokenLink, listAudit } from '#core/audit.ts'
import { sweepFailedJobs } from '#core/sweep-jobs.ts'
import { sweepIdempotencyKeys } from '#core/idempotency.ts'
import type { Job } from '#core/jobs.ts'
import { sweepAuditLog } from '#features/audit/sweep.ts'
import { sweepAccounts } from '#features/accounts/sweep.ts'
import { sweepNotifications } from '#features/notifications/sweep.ts'
import { createSettingsToken } from '#features/accounts/index.ts'
import { TABLE_RETENTION } from '#features/site/table-retention.ts'
import { sweepOutbox } from '#features/site/sweep-outbox.ts'
import { timestamp } from '#lib/time.ts'
import { makeWorld } from '../../world.ts'

const DAY = 86_400_000
const world = await makeWorld()
const { hearth, clock } = world
const db = hearth.database
const ada = await world.user('ada')
const run = (job: Job<null>) =>
  job.run({ hearth, signal: new AbortController().signal, attempt: 1, id: 'job' } as never, null)
const count = (table: string): number =>
  db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0

test('every table has a retention rule', () => {
  const tables = db
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'record_fts_%'`,
    )
    .map(({ name }) => name)
  expect(tables.filter((name) => !Object.hasOwn(TABLE_RETENTION, name))).toEqual([])
  expect(Object.keys(TABLE_RETENTION).filter((name) => !tables.includes(name))).toEqual([])
})

test('what the forge noted for itself goes when its time is over, and nothing younger', async () => {
  const token = await world.call(createSettingsToken, ada, { name: 'short' })
  const at = (days: number) => timestamp(clock.now() - days * DAY)
  for (let n = 0; n < 2500; n++)
    db.run(
      'INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?, ?)',
      ada.id,
      `key ${n}`,
      'x',
      'x',
      'null',
      at(n === 0 ? 0 : 2),
    )
  const job = (id: string, state: string, days: number) =>
    db.run(
      `INSERT INTO jobs VALUES (?, 'x', NULL, '{}', ?, 1, 0, 'why', ?, ?)`,
      id,
      state,
      at(days),
      at(days),
    )
  job('old', 'failed', 91)
  job('young', 'failed', 89)
  job('waits', 'waiting', 200)
  const notification = (id: string, unread: number, done: number, days: number) =>
    db.run(
      `INSERT INTO notifications (id, user_id, subject, kind, reason, unread, done, updated_at, created_at) VALUES (?, ?, ?, 'x', 'mention', ?, ?, ?, ?)`,
      id,
      ada.id,
      id,
      unread,
      done,
      at(days),
      at(days),
    )
  notification('read long ago', 0, 0, 366)
  notification('read', 0, 0, 300)
  notification('done long ago', 0, 1, 91)
  notification('unread', 1, 0, 1000)
  const outbox = join(world.data, 'outbox')
  mkdirSync(outbox, { recursive: true })
  for (const [name, days] of [
    ['old.eml', 31],
    ['young.eml', 29],
  ] as const) {
    writeFileSync(join(outbox, name), 'x')
    utimesSync(
      join(outbox, name),
      (clock.now() - days * DAY) / 1000,
      (clock.now() - days * DAY) / 1000,
    )
  }
  for (let n = 0; n < 10_000; n++)
    writeFileSync(join(outbox, `2026-${String(n).padStart(5, '0')}.eml`), '')
  await run(sweepIdempotencyKeys as Job<null>)
  await run(sweepFailedJobs)
  await run(sweepNotifications)
  await run(sweepOutbox)
  expect(count('idempotency_keys')).toBe(1)
  expect(
    db.all<{ id: string }>(`SELECT id FROM jobs WHERE kind = 'x' ORDER BY id`).map(({ id }) => id),
  ).toEqual(['waits', 'young'])
  expect(
    db.all<{ id: string }>('SELECT id FROM notifications ORDER BY id').map(({ id }) => id),
  ).toEqual(['read', 'unread'])
  expect(existsSync(join(outbox, 'old.eml'))).toBe(false)
  expect(existsSync(join(outbox, 'young.eml'))).toBe(true)
  // At most 10,000 stay, and names begin with the time.
  expect(existsSync(join(outbox, '2026-00000.eml'))).toBe(false)
  expect(existsSync(join(outbox, '2026-00002.eml'))).toBe(true)

  const end = Date.parse(token.expires_at ?? '')
  const begun = clock.at
  clock.at = end + 89 * DAY
  await run(sweepAccounts as Job<null>)
  expect(db.one('SELECT 1 FROM tokens WHERE id = ?', token.id)).not.toBeNull()
  clock.at = end + 91 * DAY
  await run(sweepAccounts as Job<null>)
  expect(db.one('SELECT 1 FROM tokens WHERE id = ?', token.id)).toBeNull()
  clock.at = begun
})

test('the audit log keeps what is younger than its days, in one chain, and finds by action without reading all', async () => {
  const { hearth, clock, write } = await makeWorld()
  const db = hearth.database
  const note = (action: string) =>
    write((tx) => tx.audit({ action, target: { kind: 'site', id: 'site', name: 'x' } }))
  // The test clock is in the past, where the database allows deleting entries.
  clock.advance(-1000 * DAY)
  await note('site.first')
  clock.advance(300 * DAY)
  await note('site.second')
  await note('token.third')
  clock.advance(401 * DAY)
  await note('site.fourth')
  const actions = (filter: object) =>
    listAudit(db, { limit: 10, ...filter })
      .map(({ action }) => action)
      .filter((action) => /first|second|third|fourth/.test(action))
  expect(actions({ action: 'site.' })).toEqual(['site.fourth', 'site.second', 'site.first'])
  expect(actions({ action: 'site.', limit: 2 })).toEqual(['site.fourth', 'site.second'])
  expect(actions({ action: 'site' })).toEqual([])
  expect(actions({ since: timestamp(clock.now() - 450 * DAY) })).toEqual([
    'site.fourth',
    'token.third',
    'site.second',
  ])
  await sweepAuditLog.run(
    { hearth, signal: new AbortController().signal, attempt: 1, id: 'job' } as never,
    null,
  )
  expect(actions({})).toEqual(['site.fourth'])
  expect(findBrokenLink(db)).toBeNull()
})
