import { expect, test } from 'bun:test'
import { repoByPath } from '#features/repos/index.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { anonymous } from '#core/caller.ts'
import { agentOf, makeWorld, refusal, withToken } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const eve = await world.user('eve')
const acme = await world.workspace('acme', { owner: ada, members: [bob] })

test('a repository begins empty, private by default, with main protected', async () => {
  const repo = await world.call(createRepo, ada, {
    workspace: 'acme',
    name: 'site',
    description: ' The site ',
  })
  expect(repo).toMatchObject({
    full_name: 'acme/site',
    workspace: 'acme',
    owner: 'acme',
    description: 'The site',
    private: true,
    visibility: 'private',
    default_branch: 'main',
    protected: true,
    empty: true,
    state: 'active',
    viewer_role: 'admin',
    clone_url: 'https://hearth.test/acme/site.git',
    pushed_at: null,
  })
  expect(repo.id).toStartWith('rep_')
  expect(repo.created_by?.username).toBe('ada')
  const [event] = world.events('repo.created')
  expect(event).toMatchObject({
    repo_id: repo.id,
    workspace_id: acme.id,
    actor_id: ada.id,
    data: { private: true, imported: false },
  })
})

test('a name is unique in its workspace, whatever its case, and a second attempt leaves nothing', async () => {
  const before = world.events().length
  const error = await refusal(world.call(createRepo, ada, { workspace: 'acme', name: 'SITE' }))
  expect(error).toMatchObject({ status: 409, reason: 'already_exists' })
  expect(world.events().length).toBe(before)
})

test('two who ask for one name at once: one gets it', async () => {
  const results = await Promise.allSettled(
    [ada, bob].map((as) => world.call(createRepo, as, { workspace: 'acme', name: 'race' })),
  )
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('the workspace may be left out by those who belong to one', async () => {
  expect((await world.call(createRepo, bob, { name: 'mine', private: false })).full_name).toBe(
    'acme/mine',
  )
  await world.workspace('second', { owner: ada })
  expect(await refusal(world.call(createRepo, ada, { name: 'other' }))).toMatchObject({
    status: 422,
    field: 'workspace',
  })
  expect(await refusal(world.call(createRepo, eve, { name: 'other' }))).toMatchObject({
    status: 422,
    field: 'workspace',
  })
})

test('bad names are refused with the field', async () => {
  for (const name of ['..', 'a b', 'x.git', 'x.lock', 'settings', 'a/b', 'ünder']) {
    expect(await refusal(world.call(createRepo, ada, { workspace: 'acme', name }))).toMatchObject({
      status: 422,
      field: 'name',
    })
  }
})

test('outsiders, strangers, agents and narrowed tokens', async () => {
  const input = { workspace: 'acme', name: 'no' }
  expect((await refusal(world.call(createRepo, anonymous, input))).status).toBe(401)
  expect((await refusal(world.call(createRepo, eve, input))).status).toBe(404)
  expect(
    (await refusal(world.call(createRepo, ada, { ...input, workspace: 'nowhere' }))).status,
  ).toBe(404)
  expect(
    await refusal(world.call(createRepo, withToken(ada, { scopes: ['repo:read'] }), input)),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect(
    (await refusal(world.call(createRepo, withToken(ada, { workspace: 'wsp_other' }), input)))
      .status,
  ).toBe(404)
  expect(
    (await refusal(world.call(createRepo, withToken(ada, { repos: ['rep_x'] }), input))).status,
  ).toBe(403)
  const agent = agentOf(ada, { id: 'rep_x' }, { id: 'agt_x' })
  expect(await refusal(world.call(createRepo, agent, input))).toMatchObject({
    status: 403,
    reason: 'agent_outside_repository',
  })
})

test('owners decide what members may make', async () => {
  await world.write((tx) =>
    tx.db.run(
      'UPDATE workspaces SET members_can_create_public_repositories = 0 WHERE id = ?',
      acme.id,
    ),
  )
  expect(
    await refusal(world.call(createRepo, bob, { workspace: 'acme', name: 'open', private: false })),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(
    (await world.call(createRepo, bob, { workspace: 'acme', name: 'closed', private: true }))
      .private,
  ).toBe(true)
  expect(
    (await world.call(createRepo, ada, { workspace: 'acme', name: 'open', private: false }))
      .private,
  ).toBe(false)
})

test('a copy is made of public addresses only, and nothing is made of others', async () => {
  const error = await refusal(
    world.call(createRepo, ada, {
      workspace: 'acme',
      name: 'copy',
      import_url: 'https://192.168.0.1/x.git',
    }),
  )
  expect(error).toMatchObject({ status: 422, code: 'invalid', field: 'import_url' })
  expect(repoByPath(world.hearth.db, 'acme/copy')).toBeNull()
})
