import { expect, test } from 'bun:test'
import { anonymous, type UserCaller } from '#core/caller.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { fetchRepo } from '#features/repos/refs/fetch-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { listRepos } from '#features/repos/profile/list-repos.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { getWorkspace, setMemberPrivileges } from '#features/workspaces/index.ts'
import { agentOf, refusal, withToken } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('a deleted repository is gone for everyone, its owner included, and its name is free', async () => {
  const { world, ada, bob, eve, site, audits, pull } = await makeLife()
  const number = await pull()
  const repo = 'acme/site'
  const purge_at = '2026-03-31T12:00:00.000Z'
  expect(await world.call(deleteRepo, ada, { repo, confirm: repo })).toMatchObject({
    id: site.id,
    full_name: repo,
    state: 'deleted',
    deleted_at: '2026-03-01T12:00:00.000Z',
    deleted_by: { username: 'ada' },
    purge_at,
  })
  for (const caller of [anonymous, ada, bob, eve]) {
    const gone = await refusal(world.call(getRepo, caller, { repo }))
    expect([gone.status, gone.reason]).toEqual([404, null])
    expect(
      (await refusal(world.call(fetchRepo, caller, { repo: `${repo}/pull/${number}` }))).status,
    ).toBe(404)
  }
  expect((await world.call(listRepos, ada, {})).items).toEqual([])
  expect((await refusal(world.call(deleteRepo, ada, { repo, confirm: repo }))).status).toBe(404)
  expect(world.events('repo.deleted').map(({ data }) => data)).toEqual([
    { full_name: repo, purge_at },
  ])
  expect(audits('repo.deleted')).toMatchObject([
    { actor_id: ada.id, target_id: site.id, target_name: repo },
  ])
  expect((await world.call(getWorkspace, ada, { workspace: 'acme' })).repositories_count).toBe(0)
  expect((await world.call(createRepo, ada, { workspace: 'acme', name: 'site' })).id).not.toBe(
    site.id,
  )
})

test('members with admin delete it where the workspace lets them', async () => {
  const { world, ada, bob, eve, admins } = await makeLife()
  const remove = (as: UserCaller) =>
    world.call(deleteRepo, as, { repo: 'acme/site', confirm: 'acme/site' })
  await world.call(setMemberPrivileges, ada, {
    workspace: 'acme',
    members_can_delete_repositories: true,
  })
  expect((await refusal(remove(bob))).reason).toBe('role')
  await admins()
  expect((await refusal(remove(eve))).reason).toBe('role')
  expect(await remove(bob)).toMatchObject({ state: 'deleted', deleted_by: { username: 'bob' } })
  const again = { repo: 'acme/site', confirm: 'acme/site' }
  expect((await refusal(world.call(purgeRepo, bob, again))).status).toBe(404)
})

test('only owners, in person, with the full name', async () => {
  const { world, ada, bob, eve, site, admins } = await makeLife()
  const input = { repo: 'acme/site', confirm: 'acme/site' }
  for (const confirm of ['', 'site', 'Acme/site'])
    expect(await refusal(world.call(deleteRepo, ada, { ...input, confirm }))).toMatchObject({
      status: 422,
      field: 'confirm',
    })
  expect(await refusal(world.call(deleteRepo, ada, { repo: 'acme/site' } as never))).toMatchObject({
    status: 422,
    field: 'confirm',
  })
  await admins()
  for (const caller of [bob, eve])
    expect(await refusal(world.call(deleteRepo, caller, input))).toMatchObject({
      status: 403,
      reason: 'role',
    })
  expect(
    await refusal(world.call(deleteRepo, agentOf(ada, site, { id: 'agt_1' }), input)),
  ).toMatchObject({ status: 403, reason: 'person_required' })
  expect(
    await refusal(world.call(deleteRepo, withToken(ada, { role: 'write' }), input)),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect((await refusal(world.call(deleteRepo, anonymous, input))).status).toBe(401)
  expect(world.events('repo.deleted')).toEqual([])
})
