import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { repoFacts } from '#features/repos/access/repo-facts.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { renameWorkspace } from '#features/workspaces/rename-workspace.ts'
import { Moved } from '#lib/errors.ts'
import { agentOf, refusal, withToken } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('the repository has the new name, and everything of it goes along', async () => {
  const { world, ada, eve, site, audits, pull } = await makeLife()
  const number = await pull()
  const renamed = await world.call(renameRepo, ada, { repo: 'acme/site', name: 'web' })
  expect(renamed).toMatchObject({
    id: site.id,
    name: 'web',
    full_name: 'acme/web',
    clone_url: 'https://hearth.test/acme/web.git',
  })
  expect(world.events('repo.renamed').map(({ repo_id, data }) => [repo_id, data])).toEqual([
    [site.id, { previous_name: 'site', name: 'web' }],
  ])
  expect(audits('repo.renamed')).toMatchObject([
    {
      actor_id: ada.id,
      repo_id: site.id,
      target_name: 'acme/web',
      data: { before: 'acme/site', after: 'acme/web' },
    },
  ])
  expect(repoFacts(world.hearth.db, `acme/web/pull/${number}`, eve)).toMatchObject({
    full_name: `acme/web/pull/${number}`,
    role: 'write',
  })
})

test('the old name tells the new one to those who may see it, and nothing to others', async () => {
  const { world, ada, bob, eve, site } = await makeLife()
  await world.call(renameRepo, ada, { repo: 'acme/site', name: 'web' })
  for (const caller of [anonymous, eve, bob]) {
    const moved = await refusal(world.call(getRepo, caller, { repo: 'acme/site' }))
    expect(moved).toBeInstanceOf(Moved)
    expect(moved).toMatchObject({
      status: 404,
      code: 'not_found',
      reason: 'moved',
      details: { moved_to: 'acme/web' },
    })
    expect(moved.message).toContain('acme/web')
  }
  // Case does not matter in names, old ones included.
  expect(await refusal(world.call(getRepo, eve, { repo: 'Acme/SITE' }))).toMatchObject({
    reason: 'moved',
  })
  await world.call(setRepoVisibility, ada, { repo: 'acme/web', private: true, confirm: 'acme/web' })
  for (const caller of [anonymous, eve, withToken(bob, { repos: ['rep_other'] })]) {
    const hidden = await refusal(world.call(getRepo, caller, { repo: 'acme/site' }))
    expect(hidden).not.toBeInstanceOf(Moved)
    expect({ ...hidden.body(null).error, message: '' }).toEqual({
      ...(await refusal(world.call(getRepo, caller, { repo: 'acme/none' }))).body(null).error,
      message: '',
    })
    expect(hidden.message).not.toContain('web')
  }
  expect(await refusal(world.call(getRepo, bob, { repo: 'acme/site' }))).toMatchObject({
    reason: 'moved',
  })
  const agent = agentOf(bob, site, { id: 'agt_1' })
  expect(await refusal(world.call(getRepo, agent, { repo: 'acme/site' }))).toMatchObject({
    reason: 'moved',
  })
  expect(
    await refusal(
      world.call(getRepo, agentOf(bob, { id: 'rep_other' }, { id: 'agt_2' }), {
        repo: 'acme/site',
      }),
    ),
  ).toMatchObject({ status: 403, reason: 'agent_outside_repository' })
})

test('names lead to where the repository is now, however often it was renamed, until another takes one', async () => {
  const { world, ada } = await makeLife()
  for (const [from, to] of [
    ['site', 'two'],
    ['two', 'three'],
  ] as const)
    await world.call(renameRepo, ada, { repo: `acme/${from}`, name: to })
  for (const old of ['site', 'two'])
    expect((await refusal(world.call(getRepo, ada, { repo: `acme/${old}` }))).details).toEqual({
      moved_to: 'acme/three',
    })
  const fresh = await world.call(createRepo, ada, { workspace: 'acme', name: 'site' })
  expect((await world.call(getRepo, ada, { repo: 'acme/site' })).id).toBe(fresh.id)
  // Back to a name it had: that name is its own again.
  await world.call(renameRepo, ada, { repo: 'acme/three', name: 'two' })
  expect((await world.call(getRepo, ada, { repo: 'acme/two' })).name).toBe('two')
  expect((await refusal(world.call(getRepo, ada, { repo: 'acme/three' }))).details).toEqual({
    moved_to: 'acme/two',
  })
  await world.call(renameRepo, ada, { repo: 'acme/site', name: 'other' })
  expect((await refusal(world.call(getRepo, ada, { repo: 'acme/site' }))).details).toEqual({
    moved_to: 'acme/other',
  })
})

test('an old slug of the workspace leads on as well, together with old names', async () => {
  const { world, ada, eve } = await makeLife()
  await world.call(renameRepo, ada, { repo: 'acme/site', name: 'web' })
  await world.call(renameWorkspace, ada, { workspace: 'acme', slug: 'bakery' })
  for (const old of ['acme/web', 'acme/site', 'bakery/site'])
    expect((await refusal(world.call(getRepo, eve, { repo: old }))).details).toEqual({
      moved_to: 'bakery/web',
    })
  expect((await refusal(world.call(getRepo, eve, { repo: 'acme/web/pull/1' }))).status).toBe(404)
})

test('the same name changes nothing; another case of it leaves no old name', async () => {
  const { world, ada, audits } = await makeLife()
  await world.call(renameRepo, ada, { repo: 'acme/site', name: 'site' })
  expect(world.events('repo.renamed')).toEqual([])
  expect(audits('repo.renamed')).toEqual([])
  expect((await world.call(renameRepo, ada, { repo: 'acme/site', name: 'Site' })).full_name).toBe(
    'acme/Site',
  )
  expect((await world.call(getRepo, ada, { repo: 'acme/site' })).name).toBe('Site')
  expect(world.hearth.db.all('SELECT * FROM redirects')).toEqual([])
})

test('bad and taken names are refused, and so is everyone below admin', async () => {
  const { world, ada, bob, eve } = await makeLife()
  await world.repo('acme/docs')
  for (const name of ['', 'a b', '..', 'x.git', 'settings', 'a/b'])
    expect(await refusal(world.call(renameRepo, ada, { repo: 'acme/site', name }))).toMatchObject({
      status: 422,
      field: 'name',
    })
  expect(
    await refusal(world.call(renameRepo, ada, { repo: 'acme/site', name: 'Docs' })),
  ).toMatchObject({ status: 409, reason: 'already_exists' })
  for (const caller of [bob, eve])
    expect(
      await refusal(world.call(renameRepo, caller, { repo: 'acme/site', name: 'web' })),
    ).toMatchObject({ status: 403, reason: 'role' })
  expect(
    (await refusal(world.call(renameRepo, anonymous, { repo: 'acme/site', name: 'web' }))).status,
  ).toBe(401)
  expect(
    await refusal(
      world.call(renameRepo, withToken(ada, { scopes: ['repo:write'] }), {
        repo: 'acme/site',
        name: 'web',
      }),
    ),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect(world.events('repo.renamed')).toEqual([])
  expect((await world.call(getRepo, ada, { repo: 'acme/site' })).name).toBe('site')
})
