import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createIssue } from '#features/issues/index.ts'
import { getContributions } from '#features/overview/index.ts'
import { DAY } from '#lib/time.ts'
import { makeWorld } from '../../world.ts'

test('a year of work counts what the reader may see, to the day', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/open', { as: ada, private: false })
  await world.repo('acme/closed', { as: ada, private: true })
  const days = async (caller: Parameters<typeof world.call>[1]) => (await world.call(getContributions, caller, { username: 'ada' })).days
  const before = await world.call(getContributions, ada, { username: 'ada' })
  expect([before.days.length > 52 * 7, before.days.length <= 53 * 7]).toEqual([true, true])
  world.clock.advance(DAY)
  await world.call(createIssue, ada, { repo: 'acme/open', title: 'One' })
  await world.call(createIssue, ada, { repo: 'acme/closed', title: 'Two' })
  expect([(await days(ada)).at(-1)?.count, (await days(anonymous)).at(-1)?.count]).toEqual([2, 1])
  const all = await days(ada)
  expect(new Set(all.map(({ day }) => day)).size).toBe(all.length)
  expect(new Date(all[0]?.day ?? '').getUTCDay()).toBe(1)
})
