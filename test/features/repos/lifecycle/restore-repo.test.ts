import { expect, test } from 'bun:test'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getFile } from '#features/repos/files/get-file.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { restoreRepo } from '#features/repos/lifecycle/restore-repo.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { DAY } from '#lib/time.ts'
import { agentOf, refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

const repo = 'acme/site'

test('it comes back at its path with all it had', async () => {
  const { world, ada, bob, site, audits, pull, eve } = await makeLife()
  const number = await pull()
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  const restored = await world.call(restoreRepo, ada, { repo })
  expect(restored).toMatchObject({
    id: site.id,
    full_name: repo,
    state: 'active',
    deleted_at: null,
    deleted_by: null,
    purge_at: null,
  })
  expect((await world.call(getFile, bob, { repo, path: 'a.txt' })).content).toBe('a\n')
  expect((await world.call(getRepo, eve, { repo: `${repo}/pull/${number}` })).viewer_role).toBe(
    'write',
  )
  expect(world.events('repo.restored').map(({ data }) => data)).toEqual([{}])
  expect(audits('repo.restored').length).toBe(1)
  expect((await world.call(getWorkspace, ada, { workspace: 'acme' })).repositories_count).toBe(1)
})

test('not while another has its path, and then the right one', async () => {
  const { world, ada, site } = await makeLife()
  expect(await refusal(world.call(restoreRepo, ada, { repo }))).toMatchObject({
    status: 409,
    reason: 'already_exists',
  })
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  const second = await world.call(createRepo, ada, { workspace: 'acme', name: 'site' })
  for (const id of [undefined, site.id])
    expect(await refusal(world.call(restoreRepo, ada, { repo, id }))).toMatchObject({
      status: 409,
      reason: 'already_exists',
    })
  expect(world.events('repo.restored')).toEqual([])
  // With the other out of the way by a rename, the path is that of the deleted one for its owner,
  // and an old name for the rest.
  await world.call(renameRepo, ada, { repo, name: 'new' })
  expect((await refusal(world.call(getRepo, ada, { repo }))).details).toEqual({
    moved_to: 'acme/new',
  })
  expect((await world.call(restoreRepo, ada, { repo })).id).toBe(site.id)
  expect((await world.call(getRepo, ada, { repo })).id).toBe(site.id)
  expect((await world.call(getRepo, ada, { repo: 'acme/new' })).id).toBe(second.id)
})

test('of several with one name the last deleted comes back, or the one that is named by its id', async () => {
  const { world, ada, site } = await makeLife()
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  world.clock.advance(1000)
  const second = await world.call(createRepo, ada, { workspace: 'acme', name: 'site' })
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  await world.repo('acme/docs')
  const docs = await world.call(deleteRepo, ada, { repo: 'acme/docs', confirm: 'acme/docs' })
  expect((await refusal(world.call(restoreRepo, ada, { repo, id: docs.id }))).status).toBe(404)
  expect((await world.call(restoreRepo, ada, { repo })).id).toBe(second.id)
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  expect((await world.call(restoreRepo, ada, { repo, id: site.id })).id).toBe(site.id)
})

test('only owners, in person, and only within 30 days', async () => {
  const { world, ada, bob, eve, site, admins } = await makeLife()
  await admins()
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  for (const caller of [bob, eve])
    expect((await refusal(world.call(restoreRepo, caller, { repo }))).status).toBe(404)
  expect(
    (await refusal(world.call(restoreRepo, agentOf(ada, site, { id: 'agt_1' }), { repo }))).reason,
  ).toBe('person_required')
  world.clock.advance(30 * DAY)
  expect((await refusal(world.call(restoreRepo, ada, { repo }))).status).toBe(404)
  expect(world.events('repo.restored')).toEqual([])
})
