import { expect, test } from 'bun:test'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal } from '../../world.ts'
import { seeded } from './project-fixture.ts'

test('repositories that the caller cannot see are hidden and cannot be changed', async () => {
  const { world, ada, bob, make, change, list } = await seeded()
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  expect((await refusal(make('x', { repos: ['acme/site', 'acme/secret'] }, bob))).field).toBe(
    'repos[1]',
  )
  expect(await list()).toEqual([])
  await make('all', { repos: ['acme/site', 'acme/secret'] })
  expect((await list(bob))[0]?.repositories).toEqual(['acme/site'])
  expect((await change('all', { repos: [] }, bob)).repositories).toEqual([])
  expect((await list())[0]?.repositories).toEqual(['acme/secret'])
})
