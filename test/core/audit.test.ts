import { expect, test } from 'bun:test'
import { openDatabase } from '#core/db.ts'
import { findBrokenLink, listAudit } from '#core/audit.ts'
import { migrate, migrations } from '#core/migrate.ts'
import { writeAs } from '#core/write.ts'
import { makeFloor } from './floor.ts'

const withAudit = () => {
  const database = openDatabase({ path: ':memory:' })
  migrate(
    database,
    '2026-01-01T00:00:00.000Z',
    migrations.filter(({ name }) => name === '0001_floor' || name === '0007_audit'),
  )
  return makeFloor({}, { database })
}

const entry = (name: string) => ({
  action: 'token.created',
  target: { kind: 'token', id: `tok_${name}`, name },
  workspace_id: 'wsp_1',
  data: { after: name },
})

test('entries hold actor, origin and change, newest first, and have pages', async () => {
  const { hearth } = withAudit()
  const origin = { request_id: 'r1', ip: '192.0.2.7', user_agent: 'curl' }
  for (const name of ['a', 'b', 'c']) {
    await writeAs(
      hearth,
      null,
      (tx) => {
        tx.audit(entry(name))
        return null
      },
      origin,
    )
  }
  const rows = listAudit(hearth.db, { workspace_id: 'wsp_1', limit: 10 })
  expect(
    rows.map(({ target_name, ip, request_id, actor_id }) => [
      target_name,
      ip,
      request_id,
      actor_id,
    ]),
  ).toEqual(['c', 'b', 'a'].map((name) => [name, '192.0.2.7', 'r1', null]))
  expect(
    listAudit(hearth.db, { before: rows[0]?.id ?? '', limit: 1 }).map(
      ({ target_name }) => target_name,
    ),
  ).toEqual(['b'])
  expect(listAudit(hearth.db, { action: 'token.', limit: 10 })).toHaveLength(3)
  expect(listAudit(hearth.db, { action: 'repo.', limit: 10 })).toEqual([])
  expect(findBrokenLink(hearth.db)).toBeNull()
})

test('a transaction that fails leaves no entry', async () => {
  const { hearth } = withAudit()
  await writeAs(hearth, null, (tx) => {
    tx.audit(entry('a'))
    throw new Error('stop')
  }).catch(() => {})
  expect(listAudit(hearth.db, { limit: 10 })).toEqual([])
})

test('the table refuses changes, and the chain shows an edit of the file', async () => {
  const { hearth, database } = withAudit()
  for (const name of ['a', 'b', 'c']) {
    await writeAs(hearth, null, (tx) => {
      tx.audit(entry(name))
      return null
    })
  }
  expect(() => database.run(`UPDATE audit_log SET action = 'x'`)).toThrow('only added to')
  database.exec('DROP TRIGGER audit_log_is_not_changed')
  database.run(`UPDATE audit_log SET data = '{"after":"z"}' WHERE target_name = 'b'`)
  const rows = listAudit(hearth.db, { limit: 10 })
  expect(findBrokenLink(hearth.db)).toBe(rows[0]?.id ?? '')
})
