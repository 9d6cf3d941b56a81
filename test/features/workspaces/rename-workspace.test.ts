import { expect, test } from 'bun:test'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { repoFacts } from '#features/repos/index.ts'
import { listRepos } from '#features/repos/profile/list-repos.ts'
import { formerWorkspace } from '#features/workspaces/index.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { renameWorkspace } from '#features/workspaces/rename-workspace.ts'
import { refusal } from '../../world.ts'
import { seeded } from './audit-fixture.ts'

test('renaming: the old slug leads to the new one, for every repository, until somebody takes it', async () => {
  const { world, ada, bob, acme, audits } = await seeded()
  const out = await world.user('out')
  await world.repo('acme/site', { as: ada })
  const rename = (slug: string, as = ada, workspace = 'acme') =>
    world.call(renameWorkspace, as, { workspace, slug })
  expect((await refusal(rename('anvils', bob))).reason).toBe('role')
  for (const slug of ['Not', 'bob', 'settings'])
    expect((await refusal(rename(slug))).field).toBe('slug')
  expect((await refusal(rename('acme'))).field).toBe('slug')
  expect(await rename('anvils')).toMatchObject({ id: acme.id, slug: 'anvils', name: 'anvils' })
  expect(audits('workspace.renamed')).toEqual([
    { before: { slug: 'acme' }, after: { slug: 'anvils' } },
  ])
  expect((await world.call(getRepo, ada, { repo: 'anvils/site' })).full_name).toBe('anvils/site')
  expect(await refusal(world.call(getRepo, ada, { repo: 'acme/site' }))).toMatchObject({
    reason: 'moved',
    details: { moved_to: 'anvils/site' },
  })
  expect(await refusal(world.call(getWorkspace, ada, { workspace: 'acme' }))).toMatchObject({
    reason: 'moved',
    details: { moved_to: 'anvils' },
  })
  // Outsiders see the new name only through public repositories.
  expect((await refusal(world.call(getWorkspace, out, { workspace: 'acme' }))).reason).toBeNull()
  expect(
    (await world.call(listRepos, out, { workspace: 'acme' })).items.map(
      ({ full_name }) => full_name,
    ),
  ).toEqual(['anvils/site'])
  expect(formerWorkspace(world.hearth.db, 'acme')?.slug).toBe('anvils')
  // Renaming back creates no redirect cycle.
  await rename('acme', ada, 'anvils')
  expect((await world.call(getRepo, ada, { repo: 'acme/site' })).full_name).toBe('acme/site')
  expect(await refusal(world.call(getRepo, ada, { repo: 'anvils/site' }))).toMatchObject({
    reason: 'moved',
    details: { moved_to: 'acme/site' },
  })
  await rename('bakery')
  await world.workspace('acme', { owner: bob })
  expect(repoFacts(world.hearth.db, 'acme/site', ada)).toBeNull()
  const old = await refusal(world.call(getRepo, ada, { repo: 'acme/site' }))
  expect([old.code, old.reason]).toEqual(['not_found', null])
})
