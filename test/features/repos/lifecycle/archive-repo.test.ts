import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { listRepos } from '#features/repos/profile/list-repos.ts'
import { push } from '#features/repos/push/push.ts'
import { renameBranch } from '#features/repos/branches/rename-branch.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('an archived repository is read-only everywhere, for its owner too', async () => {
  const { world, ada, eve, audits, pull } = await makeLife()
  const number = await pull()
  const archived = await world.call(archiveRepo, ada, { repo: 'acme/site' })
  expect(archived).toMatchObject({
    archived: true,
    state: 'archived',
    archived_at: '2026-03-01T12:00:00.000Z',
  })
  expect(world.events('repo.archived').map(({ data }) => data)).toEqual([{}])
  expect(audits('repo.archived').length).toBe(1)
  const repo = 'acme/site'
  const before = world.events().length
  for (const refused of [
    world.call(createIssue, ada, { repo, title: 'Late' }),
    world.call(createBranch, ada, { repo, branch: 'late' }),
    world.call(createTag, ada, { repo, tag: 'v1', target: 'main' }),
    world.call(renameRepo, ada, { repo, name: 'web' }),
    world.call(renameBranch, ada, { repo, branch: 'main', new_name: 'trunk' }),
    world.call(updateRepo, ada, { repo, description: 'x' }),
    world.call(setRepoVisibility, ada, { repo, private: true, confirm: repo }),
    world.call(deleteRepo, ada, { repo, confirm: repo }),
    world.call(push, ada, { repo, updates: [] }),
    world.call(push, eve, { repo: `${repo}/pull/${number}`, updates: [] }),
  ]) {
    expect(await refusal(refused)).toMatchObject({
      status: 403,
      code: 'forbidden',
      reason: 'archived',
    })
  }
  expect(world.events().length).toBe(before)
  expect((await world.call(getRepo, anonymous, { repo })).archived).toBe(true)
  expect(
    (await world.call(listRepos, ada, { archived: true })).items.map(({ full_name }) => full_name),
  ).toEqual([repo])
})

test('a change that was on its way when it was archived does not arrive', async () => {
  const { world, ada } = await makeLife()
  const late = refusal(world.call(createTag, ada, { repo: 'acme/site', tag: 'v1', target: 'main' }))
  await world.call(archiveRepo, ada, { repo: 'acme/site' })
  expect(await late).toMatchObject({ reason: 'archived' })
})

test('archiving twice is no error and happens once; only admins may', async () => {
  const { world, ada, bob, eve } = await makeLife()
  for (const caller of [bob, eve])
    expect((await refusal(world.call(archiveRepo, caller, { repo: 'acme/site' }))).status).toBe(403)
  await world.call(archiveRepo, ada, { repo: 'acme/site' })
  world.clock.advance(5_000)
  expect((await world.call(archiveRepo, ada, { repo: 'acme/site' })).archived_at).toBe(
    '2026-03-01T12:00:00.000Z',
  )
  expect(world.events('repo.archived').length).toBe(1)
})
