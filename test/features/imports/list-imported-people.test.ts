import { expect, test } from 'bun:test'
import { listImportedPeople } from '#features/imports/list-imported-people.ts'
import { makeForgeWorld } from './forge-fixture.ts'

test('people of the other forge are listed with their profiles, and members by their address', async () => {
  const it = await makeForgeWorld()
  const { world, ada } = it
  const peer = it.standIn('gitea_api')
  const { repo } = await it.start('gitea_api', peer.url, {
    include: ['code', 'issues', 'collaborators'],
  })
  await world.jobs()
  await peer.close()
  const { items } = await world.call(listImportedPeople, ada, { repo })
  expect(items.map(({ username, mapped_to }) => [username, mapped_to?.username ?? null])).toEqual([
    ['ghost', null],
    ['zoe', null],
    ['ada', 'ada'],
  ])
  expect(items.find(({ username }) => username === 'zoe')?.url).toBe(
    `${new URL(peer.url).origin}/zoe`,
  )
})
