import { expect, spyOn, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getCommit } from '#features/repos/commits/get-commit.ts'
import { listCommits } from '#features/repos/commits/list-commits.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, one, two } = await makeCode()

test('the list goes by branch, path and author', async () => {
  expect((await world.call(listCommits, anonymous, { repo })).items.map(({ sha }) => sha)).toEqual([
    two,
    one,
  ])
  expect(
    (await world.call(listCommits, anonymous, { repo, path: 'docs' })).items.map(({ sha }) => sha),
  ).toEqual([one])
  expect((await world.call(listCommits, anonymous, { repo, author: 'nobody' })).items).toEqual([])
  expect((await world.call(listCommits, anonymous, { repo, per_page: 1 })).next).toBe('2')
  expect(
    (await world.call(listCommits, anonymous, { repo, until: '2026-03-01T12:00:30Z' })).items.map(
      ({ sha }) => sha,
    ),
  ).toEqual([one])
  expect(
    await refusal(world.call(listCommits, anonymous, { repo, since: 'yesterday' })),
  ).toMatchObject({ status: 422, field: 'since' })
})

test('an empty repository has none', async () => {
  await world.repo('acme/empty')
  expect((await world.call(listCommits, anonymous, { repo: 'acme/empty' })).items).toEqual([])
})

test('a message whose first line has 20 MB is cut in answers', async () => {
  await world.repo('acme/long')
  const message = 'long '.repeat(4_000_000)
  const sha = await world.commit('acme/long', 'main', { 'a.txt': 'a' }, { message })
  const list = await world.call(listCommits, anonymous, { repo: 'acme/long' })
  expect(JSON.stringify(list).length).toBeLessThan(16_000)
  expect(list.items[0]).toMatchObject({ sha, title: `${message.slice(0, 1000)}…` })
  const commit = await world.call(getCommit, anonymous, { repo: 'acme/long', ref: sha })
  expect(commit.message).toBe(message.slice(0, 65_536))
})

test('a page of the history is read once, and a push has its own', async () => {
  await world.repo('acme/read')
  await world.commit('acme/read', 'main', { 'a.txt': 'a' })
  const reads = spyOn(world.hearth.git, 'log')
  const input = { repo: 'acme/read', path: 'a.txt' }
  const first = await world.call(listCommits, anonymous, input)
  expect(await world.call(listCommits, anonymous, input)).toEqual(first)
  expect(reads).toHaveBeenCalledTimes(1)
  // Other arguments are another page.
  expect((await world.call(listCommits, anonymous, { ...input, path: 'b.txt' })).items).toEqual([])
  const pushed = await world.commit('acme/read', 'main', { 'a.txt': 'b' })
  expect((await world.call(listCommits, anonymous, input)).items.map(({ sha }) => sha)).toEqual([
    pushed,
    first.items[0]?.sha ?? '',
  ])
  reads.mockRestore()
})
