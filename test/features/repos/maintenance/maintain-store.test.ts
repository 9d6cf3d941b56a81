import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MAINTAIN_DELAY_MS } from '#features/repos/maintenance/maintain-store.ts'
import { listBranches } from '#features/repos/branches/list-branches.ts'
import { anonymous } from '#core/caller.ts'
import { makeWorld } from '../../../world.ts'

test('some time after pushes, many packs become few and everything is still there', async () => {
  const world = await makeWorld()
  await world.workspace('acme')
  const repo = await world.repo('acme/site')
  const heads: string[] = []
  for (let round = 0; round < 12; round++)
    heads.push(await world.commit('acme/site', `b${round}`, { 'a.txt': `round ${round}\n` }))
  const packs = () =>
    readdirSync(join(world.data, 'repos', repo.id, 'objects', 'pack')).filter((name) =>
      name.endsWith('.pack'),
    ).length
  await world.jobs()
  const before = packs()
  expect(before).toBeGreaterThan(8)

  world.clock.advance(MAINTAIN_DELAY_MS)
  await world.jobs()
  expect(packs()).toBeLessThan(before / 2)
  expect(await world.hearth.git.verify(repo.id, heads)).toEqual([])
  expect(
    (await world.call(listBranches, anonymous, { repo: 'acme/site', per_page: 100 })).items,
  ).toHaveLength(12)
})
