import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
const site = await world.repo('acme/site')
await world.repo('acme/other')
world.clock.advance(1000)
const commit = await world.commit('acme/site', 'main', { 'a.txt': 'a' })
world.clock.advance(1000)
await world.call(updateRepo, ada, { repo: 'acme/site', description: 'New' })
const repo = 'acme/site'

test('the timeline is of one repository, newest first, each event with words and an address', async () => {
  const { items, next } = await world.call(listEvents, anonymous, { repo })
  expect(items.map(({ type }) => type)).toEqual(['repo.updated', 'git.push', 'repo.created'])
  expect(next).toBeNull()
  expect(items[1]).toMatchObject({
    workspace: 'acme',
    repository: { id: site.id, full_name: 'acme/site' },
    actor: { username: 'ada' },
    data: { ref: 'refs/heads/main', after: commit, default_branch: 'main' },
    summary: 'ada pushed 1 commit to the new branch main',
    url: `https://hearth.test/acme/site/commit/${commit}`,
  })
})

test('it goes back with before and never repeats', async () => {
  const seen: string[] = []
  for (let before: string | undefined; ; ) {
    const { items, next } = await world.call(listEvents, ada, { repo, before, per_page: 1 })
    seen.push(...items.map(({ type }) => type))
    if (next === null) break
    before = next
  }
  expect(seen).toEqual(['repo.updated', 'git.push', 'repo.created'])
  for (const before of ['foo', 'evt_1', site.id])
    expect((await refusal(world.call(listEvents, ada, { repo, before }))).status).toBe(404)
  expect(await refusal(world.call(listEvents, ada, { repo, cursor: 'foo' }))).toMatchObject({
    status: 422,
    field: 'cursor',
  })
})

test('types narrow it; unknown ones are named', async () => {
  expect((await world.call(listEvents, ada, { repo, types: ['git.push'] })).items.length).toBe(1)
  expect(await refusal(world.call(listEvents, ada, { repo, types: ['git.pull'] }))).toMatchObject({
    status: 422,
    field: 'types',
  })
  expect(await refusal(world.call(listEvents, ada, { repo, page: 2 } as never))).toMatchObject({
    status: 422,
    field: 'page',
  })
})

test('a private timeline is for those who see the repository', async () => {
  await world.call(updateRepo, ada, { repo, private: true })
  expect((await refusal(world.call(listEvents, anonymous, { repo }))).status).toBe(404)
})
