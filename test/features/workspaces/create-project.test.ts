import { expect, test } from 'bun:test'
import { refusal, withToken } from '../../world.ts'
import { seeded } from './project-fixture.ts'

test('refusals', async () => {
  const { world, ada, out, make, change, list } = await seeded()
  await make('web')
  expect((await refusal(make('x', {}, out))).code).toBe('not_found')
  expect((await refusal(list(out))).code).toBe('not_found')
  expect((await refusal(make('Not A Slug'))).field).toBe('slug')
  await world.workspace('other', { owner: ada })
  await world.repo('other/lib', { as: ada })
  expect((await refusal(change('web', { repos: ['other/lib'] }))).field).toBe('repos[0]')
  expect((await refusal(change('web', {}))).code).toBe('invalid')
  expect((await refusal(change('none', { name: 'x' }))).code).toBe('not_found')
  expect(
    (await refusal(make('y', {}, withToken(ada, { scopes: ['workspace:read'] })))).reason,
  ).toBe('scope')
})
