import { expect, test } from 'bun:test'
import { getSiteStatus } from '#features/site/get-site-status.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })
const ada = await world.user('ada')

test('the status contains the state of each part', async () => {
  const status = await world.call(getSiteStatus, root, {})
  expect(status).toMatchObject({
    version: '0.0.0-test',
    update_available: null,
    disk: { writable: true },
    backups: { state: 'attention', detail: expect.stringContaining('There is no backup') },
    counts: { users: 2, workspaces: 0, repositories: 0 },
  })
  expect(status.database.migration).toMatch(/^\d{4}_/)
  expect(status.database.bytes + status.database.wal_bytes).toBeGreaterThan(0)
  expect(status.conditions.map(({ name }) => name).sort()).toEqual([
    'backups',
    'checks',
    'encryption',
    'jobs',
    'mail',
    'notifications',
  ])
  expect(status.conditions.find(({ name }) => name === 'checks')?.detail).toContain('commands')
  expect(await refusal(world.call(getSiteStatus, ada, {}))).toMatchObject({
    code: 'forbidden',
    reason: 'role',
  })
})
