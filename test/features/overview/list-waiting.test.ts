import { expect, test } from 'bun:test'
import { createIssue, updateIssue } from '#features/issues/index.ts'
import { listWaiting } from '#features/overview/index.ts'
import { createPull, requestReview } from '#features/pulls/index.ts'
import { setRepoVisibility } from '#features/repos/index.ts'
import { removeMember } from '#features/workspaces/index.ts'
import { makeWorld } from '../../world.ts'

test('the list contains requested reviews and assignments in visible repositories', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const repo = 'acme/site'
  await world.repo(repo, { as: ada })
  await world.commit(repo, 'main', { 'a.txt': 'a\n' })
  await world.commit(repo, 'work', { 'a.txt': 'b\n' })
  const none = { reviews: [], assigned: { issues: [], pulls: [] }, own: [] }
  expect(await world.call(listWaiting, bob, {})).toEqual(none)
  const issue = await world.call(createIssue, ada, { repo, title: 'Yours' })
  await world.call(updateIssue, ada, { repo, number: issue.number, assignees: ['bob'] })
  const { pull } = await world.call(createPull, ada, { repo, title: 'Look', branch: 'work' })
  await world.call(requestReview, ada, { repo, number: pull.number, users: ['bob'] })
  const waiting = await world.call(listWaiting, bob, {})
  expect([
    waiting.reviews.map(({ title }) => title),
    waiting.assigned.issues.map(({ title }) => title),
    waiting.own,
  ]).toEqual([['Look'], ['Yours'], []])
  expect((await world.call(listWaiting, ada, {})).own.map(({ title }) => title)).toEqual(['Look'])

  await world.call(setRepoVisibility, ada, { repo, private: true, confirm: repo })
  expect((await world.call(listWaiting, bob, {})).reviews).toHaveLength(1)
  await world.call(removeMember, ada, { workspace: 'acme', username: 'bob' })
  expect(await world.call(listWaiting, bob, {})).toEqual(none)
})
