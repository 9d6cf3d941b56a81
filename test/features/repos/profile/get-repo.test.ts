import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const eve = await world.user('eve')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.workspace('other', { owner: eve })
await world.repo('acme/open')
await world.repo('other/hidden', { as: eve, private: true })

test('a record says what the caller may do', async () => {
  expect(await world.call(getRepo, bob, { repo: 'acme/open' })).toMatchObject({
    viewer_role: 'write',
    permissions: { read: true, write: true, maintain: false },
  })
  expect(await world.call(getRepo, anonymous, { repo: 'acme/open' })).toMatchObject({
    viewer_role: null,
    permissions: { read: true, triage: false },
  })
  expect(
    await world.call(getRepo, withToken(ada, { role: 'triage' }), { repo: 'acme/open' }),
  ).toMatchObject({ viewer_role: 'triage' })
  expect((await world.call(getRepo, ada, { repo: 'ACME/Open' })).full_name).toBe('acme/open')
  expect((await refusal(world.call(getRepo, bob, { repo: 'other/hidden' }))).status).toBe(404)
})
