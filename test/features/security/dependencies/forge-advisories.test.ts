import { expect, test } from 'bun:test'
import { listDependencyAlerts } from '#features/security/dependencies/list-dependency-alerts.ts'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { makeDependencyWorld, packageLock, REPO } from './fixture.ts'

const LIBRARY = 'acme/left'

async function makeLibraryWorld(isPrivate: boolean) {
  const fixture = await makeDependencyWorld()
  const { world, ada } = fixture
  await world.repo(LIBRARY, { as: ada, private: isPrivate })
  await fixture.commit({ 'package-lock.json': packageLock({ left: '1.2.0', right: '1.0.0' }) })
  const { id } = await world.call(createAdvisory, ada, {
    repo: LIBRARY,
    title: 'left runs what it reads',
    description: 'It does.',
    severity: 'high',
    cve: 'CVE-2026-12345',
    packages: [{ type: 'npm', name: 'left', vulnerable: '>= 1.0, < 1.4.2', patched: '1.4.2' }],
  })
  return {
    ...fixture,
    id,
    alerts: async () => (await world.call(listDependencyAlerts, ada, { repo: REPO })).items,
    /** Changes the advisory and waits for what follows. */
    change: async (change: Partial<NonNullable<(typeof updateAdvisory)['__input']>>) => {
      await world.call(updateAdvisory, ada, { repo: LIBRARY, id, ...change })
      await world.jobs()
    },
  }
}

test('a published advisory opens alerts in the repositories of its workspace, until it is withdrawn', async () => {
  const { id, alerts, change, world } = await makeLibraryWorld(false)
  await world.jobs()
  expect(await alerts()).toEqual([])
  await change({ state: 'published' })
  expect(await alerts()).toMatchObject([
    {
      state: 'open',
      package: { type: 'npm', name: 'left', version: '1.2.0' },
      advisory: { id, severity: 'high', aliases: ['CVE-2026-12345'] },
      fixed_in: '1.4.2',
    },
  ])
  await change({
    packages: [{ type: 'npm', name: 'left', vulnerable: '< 1.1', patched: '1.1' }],
  })
  expect(await alerts()).toMatchObject([{ state: 'fixed' }])
  await change({
    packages: [{ type: 'npm', name: 'left', vulnerable: '< 1.4', patched: null }],
  })
  expect(await alerts()).toMatchObject([{ state: 'open', advisory: { id } }])
  await change({ state: 'withdrawn' })
  expect(await alerts()).toMatchObject([{ state: 'fixed' }])
})

test('a draft and the advisory of a private repository open nothing', async () => {
  const { alerts, change, world } = await makeLibraryWorld(true)
  await change({ title: 'left is broken' })
  await change({ state: 'published' })
  await world.jobs()
  expect(await alerts()).toEqual([])
})

test('an advisory of one workspace opens nothing in another', async () => {
  const { world, ada, change } = await makeLibraryWorld(false)
  await world.workspace('other', { owner: ada })
  await world.repo('other/site', { as: ada })
  await world.commit(
    'other/site',
    'main',
    { 'package-lock.json': packageLock({ left: '1.2.0' }) },
    { as: ada },
  )
  await change({ state: 'published' })
  expect((await world.call(listDependencyAlerts, ada, { repo: 'other/site' })).items).toEqual([])
})
