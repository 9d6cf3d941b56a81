import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { deleteAdvisoryFork } from '#features/security/forks/delete-advisory-fork.ts'
import { getAdvisoryFork } from '#features/security/forks/get-advisory-fork.ts'
import { sweepForks } from '#features/security/forks/remove-forks.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { makeForkWorld, REPO } from './fixture.ts'

type Forks = Awaited<ReturnType<typeof makeForkWorld>>
const storeOf = ({ world }: Forks): string => {
  const row = world.hearth.db.one<{ store: string }>('SELECT store FROM advisory_forks')
  return join(world.data, 'repos', row?.store ?? 'none')
}

test('it is deleted with its store, and may be opened anew', async () => {
  const all = await makeForkWorld()
  const { world, ada, ivy, id, open, invite } = all
  await open()
  await invite('ivy')
  const store = storeOf(all)
  expect(existsSync(store)).toBe(true)
  const remove = (who = ada) => world.call(deleteAdvisoryFork, who, { repo: REPO, id })
  expect((await refusal(remove(ivy))).status).toBe(403)
  await remove()
  await world.jobs()
  expect(existsSync(store)).toBe(false)
  const seen = world.call(getAdvisoryFork, ada, { repo: REPO, id })
  expect((await refusal(seen)).status).toBe(404)
  expect((await open()).state).toBe('preparing')
  expect(existsSync(storeOf(all))).toBe(true)
})

test('30 days after the advisory is published it is removed with its store', async () => {
  const all = await makeForkWorld()
  const { world, ada, id, open } = all
  await open()
  const store = storeOf(all)
  await world.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  expect((await world.call(getAdvisoryFork, ada, { repo: REPO, id })).state).toBe('closed')
  const sweep = async () => {
    const signal = new AbortController().signal
    await sweepForks.run({ hearth: world.hearth, signal, attempt: 1, id: 'test' }, null)
    await world.jobs()
  }
  world.clock.advance(29 * DAY)
  await sweep()
  expect(existsSync(store)).toBe(true)
  world.clock.advance(2 * DAY)
  await sweep()
  expect(existsSync(store)).toBe(false)
  expect(world.hearth.db.all('SELECT * FROM advisory_fork_refs')).toEqual([])
})

test('a purged repository takes its private forks along', async () => {
  const all = await makeForkWorld()
  const { world, ada, open } = all
  await open()
  const store = storeOf(all)
  await world.call(deleteRepo, ada, { repo: REPO, confirm: REPO })
  await world.call(purgeRepo, ada, { repo: REPO, confirm: REPO })
  await world.jobs()
  expect(existsSync(store)).toBe(false)
  expect(world.hearth.db.all('SELECT * FROM advisory_forks')).toEqual([])
})
