import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createWorkspace } from '#features/workspaces/create-workspace.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { agentOf, makeWorld, refusal, withToken, workspaceCaller } from '../../world.ts'

test('the creator owns the workspace, and its name defaults to the slug', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const made = await world.call(createWorkspace, ada, { slug: 'acme' })
  expect(made).toEqual({
    id: expect.stringMatching(/^wsp_[0-9a-z]{26}$/),
    slug: 'acme',
    name: 'acme',
    description: '',
    created_at: '2026-03-01T12:00:00.000Z',
    member_count: 1,
    base_permission: 'write',
  })
  expect((await world.call(getWorkspace, ada, { workspace: 'acme' })).role).toBe('owner')
  expect(
    (await world.call(createWorkspace, ada, { slug: 'b', name: `  The\n${'x'.repeat(100)}` })).name,
  ).toBe(`The ${'x'.repeat(76)}`)
  expect((await world.call(createWorkspace, ada, { slug: 'c', name: ' ' })).name).toBe('c')
  expect(world.events()).toEqual([])
})

test('slugs have one form, and what is taken or reserved is a conflict', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.user('bob')
  await world.call(createWorkspace, ada, { slug: 'acme' })
  for (const slug of ['', 'Acme', 'a--b', '-a', 'a-', 'a_b', 'a b', 'ä', 'a/b', 'x'.repeat(40)]) {
    const error = await refusal(world.call(createWorkspace, ada, { slug }))
    expect([error.code, error.field]).toEqual(['invalid', 'slug'])
  }
  for (const slug of ['acme', 'bob', 'api', 'settings', 'ghost']) {
    const error = await refusal(world.call(createWorkspace, ada, { slug }))
    expect([error.code, error.reason, error.field]).toEqual(['conflict', 'already_exists', 'slug'])
  }
  expect(world.hearth.db.all('SELECT 1 FROM workspaces')).toHaveLength(1)
})

test('an eleventh workspace is refused and leaves nothing behind', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  for (let i = 1; i <= 10; i++) await world.call(createWorkspace, ada, { slug: `w${i}` })
  const error = await refusal(world.call(createWorkspace, ada, { slug: 'w11' }))
  expect([error.code, error.reason, error.details]).toEqual([
    'conflict',
    'limit_reached',
    { limit: 10 },
  ])
  await world.call(createWorkspace, await world.user('bob'), { slug: 'w11' })
})

test('the limit comes from the settings', async () => {
  const world = await makeWorld({ workspaces_per_person: 1 })
  const ada = await world.user('ada')
  await world.call(createWorkspace, ada, { slug: 'one' })
  expect((await refusal(world.call(createWorkspace, ada, { slug: 'two' }))).details).toEqual({
    limit: 1,
  })
})

test('it is for confirmed people', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  const refused = async (caller: Parameters<typeof world.call>[1]) =>
    (await refusal(world.call(createWorkspace, caller, { slug: 'x' }))).reason
  expect((await refusal(world.call(createWorkspace, anonymous, { slug: 'x' }))).code).toBe(
    'unauthenticated',
  )
  expect(await refused(await world.user('bob', { verified: false }))).toBe('email_unconfirmed')
  expect(await refused(workspaceCaller(acme))).toBe('person_required')
  expect(await refused(agentOf(ada, { id: 'rep_1' }, { id: 'agt_1' }))).toBe('person_required')
  expect(await refused(withToken(ada, { scopes: ['workspace:read'] }))).toBe('scope')
})
