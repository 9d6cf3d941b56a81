import { expect, test } from 'bun:test'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getAdvisoryFork } from '#features/security/forks/get-advisory-fork.ts'
import { openAdvisoryFork } from '#features/security/forks/open-advisory-fork.ts'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { getAdvisory } from '#features/security/reports/get-advisory.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { refusal } from '../../../world.ts'
import { makeForkWorld, REPO } from './fixture.ts'

test('a fork has a store of its own with the default branch, and one is enough', async () => {
  const { world, ada, mel, id, open } = await makeForkWorld()
  const opened = await open()
  const full_name = `${REPO}/security/advisories/${id}`
  const remote = `${world.hearth.settings.site_url}/${full_name}.git`
  expect(opened).toMatchObject({ state: 'preparing', full_name, remote, base_sha: null })
  const fork = await world.call(getAdvisoryFork, ada, { repo: REPO, id })
  const main = world.events('git.push')[0]?.data.after
  expect(fork).toMatchObject({ state: 'ready', base_branch: 'main', base_sha: main, branches: [] })
  const again = world.call(openAdvisoryFork, ada, { repo: REPO, id })
  expect(await refusal(again)).toMatchObject({ status: 409, reason: 'already_exists' })
  expect((await world.call(getAdvisory, ada, { repo: REPO, id })).fork).toEqual({
    full_name,
    remote,
  })
  await world.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  expect((await world.call(getAdvisory, mel, { repo: REPO, id })).fork).toBeNull()
  // The store holds nothing but what the default branch reaches.
  const row = world.hearth.db.one<{ store: string }>('SELECT store FROM advisory_forks')
  const repo = world.hearth.db.one<{ store: string }>('SELECT store FROM repos')
  expect(row?.store).not.toBe(repo?.store)
  expect(await world.hearth.git.verify(row?.store ?? '', [String(main)])).toEqual([])
})

test('it needs a draft, a first commit, and somebody who manages advisories', async () => {
  const { world, ada, mel, id } = await makeForkWorld()
  const open = (repo: string, advisory: string, who = ada) =>
    refusal(world.call(openAdvisoryFork, who, { repo, id: advisory }))
  expect((await open(REPO, id, mel)).status).toBe(403)
  await world.call(createRepo, ada, { workspace: 'acme', name: 'empty', private: false })
  const { id: other } = await world.call(createAdvisory, ada, {
    repo: 'acme/empty',
    title: 'Hole',
    description: 'd',
    severity: 'low',
  })
  expect(await open('acme/empty', other)).toMatchObject({ status: 409, reason: 'not_ready' })
  expect((await open(REPO, other)).status).toBe(404)
  await world.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  expect(await open(REPO, id)).toMatchObject({ status: 409, reason: 'released' })
})
