import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getCommitActivity } from '#features/repos/insights/get-commit-activity.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { historyCache } from '#features/repos/store/history-cache.ts'
import { refusal } from '../../../world.ts'
import { makeCode, repo } from '../code.ts'

test('weeks have commits and changed lines; a push adds its own', async () => {
  const { world, two, row } = await makeCode()
  const first = await world.call(getCommitActivity, anonymous, { repo })
  expect(first).toMatchObject({
    sha: two,
    complete: true,
    commits: 2,
    additions: 14,
    deletions: 0,
    contributors: 1,
  })
  expect(first.weeks).toHaveLength(1)
  world.clock.advance(14 * 86_400_000)
  const three = await world.commit(repo, 'main', { 'a.ts': 'b\n' })
  // The job extends what was counted, so that the next visitor does not wait.
  world.clock.advance(60_000)
  await world.jobs()
  const stored = historyCache(world.hearth).listOthers('history', row().store, '')
  expect(stored).toMatchObject([{ commit: three, value: { isComplete: true } }])
  const second = await world.call(getCommitActivity, anonymous, { repo })
  expect(second).toMatchObject({ sha: three, commits: 3, additions: 14, deletions: 1 })
  expect(second.weeks.map(({ commits }) => commits)).toEqual([2, 1])
  expect(second.weeks[1]?.week).toMatch(/^\d{4}-\d{2}-\d{2}$/)
})

test('nothing is counted ahead where nobody has looked', async () => {
  const { world, row } = await makeCode()
  world.clock.advance(60_000)
  await world.jobs()
  expect(historyCache(world.hearth).latest('history', row().store, '')).toBeNull()
})

test('an empty repository has no weeks; a private one is hidden', async () => {
  const { world, ada } = await makeCode()
  await world.call(createRepo, ada, { workspace: 'acme', name: 'empty', private: true })
  expect(await world.call(getCommitActivity, ada, { repo: 'acme/empty' })).toMatchObject({
    sha: null,
    complete: true,
    commits: 0,
    weeks: [],
  })
  expect(
    await refusal(world.call(getCommitActivity, anonymous, { repo: 'acme/empty' })),
  ).toMatchObject({ status: 404 })
})
