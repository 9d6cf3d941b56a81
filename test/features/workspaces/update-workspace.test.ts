import { expect, test } from 'bun:test'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { updateWorkspace } from '#features/workspaces/update-workspace.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const acme = await world.workspace('acme', { owner: ada, members: [bob] })
const update = (input: object, caller = ada) =>
  world.call(updateWorkspace, caller, { workspace: 'acme', ...input })

test('only what is given changes; long text is cut and empty text falls back', async () => {
  expect(await update({ name: 'Acme, Inc.' })).toEqual({
    ...acme,
    name: 'Acme, Inc.',
    member_count: 2,
  })
  expect(await update({ description: ` one\nline ${'y'.repeat(200)}` })).toMatchObject({
    name: 'Acme, Inc.',
    description: `one line ${'y'.repeat(151)}`,
  })
  expect(await update({ base_permission: 'none' })).toMatchObject({
    name: 'Acme, Inc.',
    base_permission: 'none',
  })
  expect((await update({ name: '🔥'.repeat(81) })).name).toBe('🔥'.repeat(80))
  expect(await update({ name: '', description: '' })).toMatchObject({
    slug: 'acme',
    name: 'acme',
    description: '',
    base_permission: 'none',
  })
})

test('nothing to change, or a value that there is not, is invalid', async () => {
  expect((await refusal(update({}))).code).toBe('invalid')
  expect((await refusal(update({ slug: 'other' }))).code).toBe('invalid')
  expect((await refusal(update({ base_permission: 'root' }))).field).toBe('base_permission')
  expect((await refusal(update({ name: 5 }))).field).toBe('name')
})

test('owners only, as people, with the scopes; nothing changes otherwise', async () => {
  const before = await world.call(getWorkspace, ada, { workspace: 'acme' })
  expect((await refusal(update({ name: "Bob's" }, bob))).reason).toBe('role')
  expect((await refusal(update({ name: "Eve's" }, await world.user('eve')))).code).toBe('not_found')
  expect(
    (
      await refusal(
        world.call(updateWorkspace, workspaceCaller(acme), { workspace: 'acme', name: 'x' }),
      )
    ).reason,
  ).toBe('person_required')
  expect(
    (await refusal(update({ name: 'x' }, withToken(ada, { scopes: ['workspace:read'] })))).details,
  ).toEqual({ scope: 'workspace:admin' })
  const narrow = withToken(ada, { scopes: ['workspace:admin'] })
  expect((await refusal(update({ name: 'x', base_permission: 'admin' }, narrow))).details).toEqual({
    scope: 'access:admin',
  })
  expect(await world.call(getWorkspace, ada, { workspace: 'acme' })).toEqual(before)
  expect((await update({ name: 'x' }, narrow)).name).toBe('x')
})
