import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  LONG_HISTORY_COMMITS,
  LONG_HISTORY_DELAY_MS,
  MAINTAIN_DELAY_MS,
} from '#features/repos/maintenance/maintain-store.ts'
import { moveRefs } from '#features/repos/refs/move-refs.ts'
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

test('a long history gets its bitmap at once, because clones walk it until then', async () => {
  const world = await makeWorld()
  await world.workspace('acme')
  const repo = await world.repo('acme/site')
  const head = await world.commit('acme/site', 'main', { 'a.txt': 'text\n' })
  await world.jobs()
  world.clock.advance(MAINTAIN_DELAY_MS)
  await world.jobs()
  const branch = (name: string, commits: number) =>
    world.write((tx) =>
      moveRefs(tx, repo, [{ name, old: null, new: head, peeled: null, commits, forced: false }]),
    )
  const dueMs = () => {
    const job = world.hearth.db.one<{ run_at: number }>(
      `SELECT run_at FROM jobs WHERE kind = 'maintain_store' AND state = 'waiting'`,
    )
    return (job?.run_at ?? Infinity) - world.clock.now()
  }
  expect(dueMs()).toBe(Infinity)
  await branch('refs/heads/short', 5)
  expect(dueMs()).toBe(MAINTAIN_DELAY_MS)
  await branch('refs/heads/long', LONG_HISTORY_COMMITS)
  expect(dueMs()).toBe(LONG_HISTORY_DELAY_MS)
})
