import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addMember } from '#features/workspaces/index.ts'
import { listUserRepos } from '#features/repos/profile/list-user-repos.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'

test("a person's repositories are those they made, as far as the caller sees them", async () => {
  const world = await makeWorld()
  const [ada, bob, eve] = [
    await world.user('ada'),
    await world.user('bob'),
    await world.user('eve'),
  ]
  const acme = await world.workspace('acme', { owner: ada })
  await world.write((tx) =>
    addMember(tx, { workspace_id: acme.id, user_id: bob.id, role: 'member' }),
  )
  await world.repo('acme/open', { as: ada })
  const hidden = await world.repo('acme/hidden', { as: ada, private: true })
  await world.repo('acme/bobs', { as: bob })
  const seen = async (caller: typeof ada | typeof anonymous) =>
    (await world.call(listUserRepos, caller as never, { username: 'ADA' })).items.map(
      ({ name }) => name,
    )
  expect(await seen(ada)).toEqual(['hidden', 'open'])
  expect(await seen(bob)).toEqual(['hidden', 'open'])
  expect(await seen(eve)).toEqual(['open'])
  expect(await seen(anonymous)).toEqual(['open'])
  expect(await seen(withToken(ada, { repos: ['rep_other'] }))).toEqual(['open'])
  expect(hidden.private).toBe(true)
  expect((await refusal(world.call(listUserRepos, ada, { username: 'nobody' }))).code).toBe(
    'not_found',
  )
  const page = await world.call(listUserRepos, ada, { username: 'ada', per_page: 1 })
  expect([page.items.map(({ name }) => name), page.next, page.total]).toEqual([['hidden'], '2', 2])
})
