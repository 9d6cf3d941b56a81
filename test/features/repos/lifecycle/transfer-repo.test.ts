import { expect, test } from 'bun:test'
import { recordDroppedAccess, repoTransferred } from '#features/repos/index.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { repoByPath } from '#features/repos/index.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { addMember, getWorkspace } from '#features/workspaces/index.ts'
import { agentOf, refusal, withToken } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('an owner of both moves it; counts, forks and addresses follow', async () => {
  const { world, ada, eve, acme, site, audits, pull } = await makeLife()
  const number = await pull()
  const bakery = await world.workspace('bakery', { owner: ada })
  const moved = await world.call(transferRepo, ada, { repo: 'acme/site', to: 'bakery' })
  expect(moved).toMatchObject({ id: site.id, full_name: 'bakery/site', workspace: 'bakery' })
  expect(
    world.events('repo.transferred').map(({ workspace_id, data }) => [workspace_id, data]),
  ).toEqual([[bakery.id, { previous_workspace: 'acme', workspace: 'bakery' }]])
  const counts = async (workspace: string) =>
    (await world.call(getWorkspace, ada, { workspace })).repositories_count
  expect([await counts('acme'), await counts('bakery')]).toEqual([0, 1])
  expect(await refusal(world.call(getRepo, eve, { repo: 'acme/site' }))).toMatchObject({
    reason: 'moved',
    details: { moved_to: 'bakery/site' },
  })
  expect(repoByPath(world.hearth.db, `bakery/site/pull/${number}`)).toMatchObject({
    workspace_id: bakery.id,
    parent_id: site.id,
  })
  // A push to the fork is filed under the new workspace.
  await world.commit(`bakery/site/pull/${number}`, 'main', { 'b.txt': 'b\n' }, { as: eve })
  expect(world.events('git.push').at(-1)?.workspace_id).toBe(bakery.id)
  const entries = audits('repo.transferred')
  expect(new Set(entries.map(({ workspace_id }) => workspace_id))).toEqual(
    new Set([acme.id, bakery.id]),
  )
  for (const { data } of entries)
    expect(data).toEqual({ before: 'acme/site', after: 'bakery/site', dropped: [] })
})

test('what people lose by it is in the audit entry', async () => {
  const { world, ada, audits } = await makeLife()
  await world.workspace('bakery', { owner: ada })
  const reactions = world.hearth.reactionsTo(repoTransferred.type) as unknown as {
    on: string
    name: string
    run: (tx: never) => void
  }[]
  reactions.push({
    on: repoTransferred.type,
    name: 'drop',
    run: (tx) => recordDroppedAccess(tx, { kind: 'team', name: 'bakers', role: 'write' }),
  })
  await world.call(transferRepo, ada, { repo: 'acme/site', to: 'bakery' })
  expect(audits('repo.transferred')[0]?.data.dropped).toEqual([
    { kind: 'team', name: 'bakers', role: 'write' },
  ])
})

test('members of the old workspace have it no longer, those of the new one do', async () => {
  const { world, ada, bob, eve } = await makeLife()
  await world.workspace('bakery', { owner: ada, members: [eve] })
  const repo = await world.repo('acme/secret', { private: true })
  await world.call(transferRepo, ada, { repo: 'acme/secret', to: 'bakery' })
  expect((await world.call(getRepo, eve, { repo: 'bakery/secret' })).id).toBe(repo.id)
  for (const name of ['bakery/secret', 'acme/secret'])
    expect((await refusal(world.call(getRepo, bob, { repo: name }))).reason).toBeNull()
})

test('it needs ownership of both, a person, and a free name', async () => {
  const { world, ada, bob, eve, site } = await makeLife()
  await world.workspace('bakery', { owner: bob })
  const to = (name: string) => ({ repo: 'acme/site', to: name })
  expect(await refusal(world.call(transferRepo, ada, to('bakery')))).toMatchObject({
    status: 404,
    field: 'to',
  })
  expect(await refusal(world.call(transferRepo, ada, to('nowhere')))).toMatchObject({
    status: 404,
    field: 'to',
  })
  await world.write((tx) =>
    addMember(tx, {
      workspace_id: world.hearth.facts.workspace('bakery', bob)?.id ?? '',
      user_id: ada.id,
      role: 'member',
    }),
  )
  expect(await refusal(world.call(transferRepo, ada, to('bakery')))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await refusal(world.call(transferRepo, bob, to('bakery')))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await refusal(world.call(transferRepo, eve, to('bakery')))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(
    await refusal(world.call(transferRepo, agentOf(ada, site, { id: 'agt_1' }), to('bakery'))),
  ).toMatchObject({ status: 403, reason: 'person_required' })
  expect(await refusal(world.call(transferRepo, ada, to('acme')))).toMatchObject({
    status: 422,
    field: 'to',
  })
  await world.workspace('shop', { owner: ada })
  await world.repo('shop/SITE')
  expect(await refusal(world.call(transferRepo, ada, to('shop')))).toMatchObject({
    status: 409,
    reason: 'already_exists',
  })
  // A token that reaches one repository only has no say over another workspace.
  await world.workspace('mill', { owner: ada })
  expect(
    await refusal(world.call(transferRepo, withToken(ada, { repos: [site.id] }), to('mill'))),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(
    await refusal(world.call(transferRepo, withToken(ada, { scopes: ['repo:admin'] }), to('mill'))),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect(world.events('repo.transferred')).toEqual([])
})
