import { expect, test } from 'bun:test'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { unarchiveRepo } from '#features/repos/lifecycle/unarchive-repo.ts'
import { refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('it can be changed again; an active one is left as it is', async () => {
  const { world, ada, bob, audits } = await makeLife()
  const repo = 'acme/site'
  expect(await world.call(unarchiveRepo, ada, { repo })).toMatchObject({
    archived: false,
    state: 'active',
  })
  expect(world.events('repo.unarchived')).toEqual([])
  await world.call(archiveRepo, ada, { repo })
  expect(await refusal(world.call(unarchiveRepo, bob, { repo }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await world.call(unarchiveRepo, ada, { repo })).toMatchObject({
    archived: false,
    archived_at: null,
    state: 'active',
  })
  expect(world.events('repo.unarchived').map(({ data }) => data)).toEqual([{}])
  expect(audits('repo.unarchived').length).toBe(1)
  expect((await world.call(createBranch, bob, { repo, branch: 'next' })).name).toBe('next')
})
