import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
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
