import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { fetchRepo } from '#features/repos/refs/fetch-repo.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { makeCode, repo } from '../code.ts'
import { refusal, withToken } from '../../../world.ts'

const { world, ada, bob, two, row } = await makeCode()

test('gives the refs of what one may read, and where its objects are', async () => {
  const answer = await world.call(fetchRepo, anonymous, { repo })
  expect(answer).toMatchObject({
    full_name: repo,
    store: row().store,
    refs: { head: 'refs/heads/main', refs: [{ name: 'refs/heads/main', oid: two, peeled: null }] },
  })
  expect(
    await refusal(world.call(fetchRepo, withToken(bob, { scopes: ['issues:read'] }), { repo })),
  ).toMatchObject({ status: 403, reason: 'scope' })
  await world.call(updateRepo, ada, { repo, private: true })
  expect((await refusal(world.call(fetchRepo, anonymous, { repo }))).status).toBe(404)
  expect((await refusal(world.call(fetchRepo, await world.user('eve'), { repo }))).status).toBe(404)
  expect((await world.call(fetchRepo, bob, { repo })).store).toBe(row().store)
})
