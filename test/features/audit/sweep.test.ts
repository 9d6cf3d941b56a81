import { expect, test } from 'bun:test'
import { findBrokenLink } from '#core/audit.ts'
import { DAY } from '#lib/time.ts'
import { makeWorld } from '../../world.ts'

test('entries go when their time of keeping is over, and what is left is still a chain', async () => {
  const world = await makeWorld()
  // Long past by the machine's clock as well, which the table holds young entries by.
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
