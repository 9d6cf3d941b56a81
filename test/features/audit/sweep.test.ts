import { expect, test } from 'bun:test'
import { findBrokenLink } from '#core/audit.ts'
import { DAY } from '#lib/time.ts'
import { makeWorld } from '../../world.ts'

test('expired entries are deleted, and the rest is still a hash chain', async () => {
  const world = await makeWorld()
  // The database refuses to delete young entries by the system clock, so these are old by that
  // clock too.
  world.clock.at = Date.parse('2020-01-01T00:00:00Z')
  const entry = (name: string) =>
    world.write((tx) => tx.audit({ action: 'test.done', target: { kind: 'test', id: name, name } }))
  await entry('old')
  world.clock.advance(100 * DAY)
  await entry('young')
  await entry('younger')
  const names = () =>
    world.hearth.db
      .all<{ target_name: string }>('SELECT target_name FROM audit_log ORDER BY id')
      .map((row) => row.target_name)
  world.clock.advance(301 * DAY)
  await world.hearth.jobs.start()
  await world.jobs()
  expect(names()).toEqual(['young', 'younger'])
  expect(findBrokenLink(world.hearth.db)).toBeNull()
})
