import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { refusal } from '../../world.ts'
import { makePullWorld, REPO } from './fixture.ts'

test('filters by state, newest first, with the number of all', async () => {
  const { world, ada, otto, mel, draft, ready, fromBranch } = await makePullWorld({
    require_up_to_date: false,
  })
  const first = await draft(otto)
  const second = await ready(otto, { 'c.txt': 'c\n' })
  const third = await ready(otto, { 'd.txt': 'd\n' })
  const fourth = await fromBranch(mel)
  await world.call(mergePull, ada, { repo: REPO, number: third })
  await world.call(closePull, mel, { repo: REPO, number: fourth })
  const numbers = async (state?: 'open' | 'draft' | 'ready' | 'merged' | 'closed' | 'all') =>
    (await world.call(listPulls, anonymous, { repo: REPO, state })).items.map(
      ({ number }) => number,
    )
  expect(await numbers()).toEqual([second, first])
  expect(await numbers('open')).toEqual([second, first])
  expect(await numbers('draft')).toEqual([first])
  expect(await numbers('ready')).toEqual([second])
  expect(await numbers('merged')).toEqual([third])
  expect(await numbers('closed')).toEqual([fourth])
  expect(await numbers('all')).toEqual([fourth, third, second, first])
  expect(
    await world.call(listPulls, anonymous, { repo: REPO, state: 'all', per_page: 3, page: 2 }),
  ).toMatchObject({ items: [{ number: first }], next: null, total: 4 })
  expect(
    await refusal(world.call(listPulls, anonymous, { repo: REPO, state: 'odd' as 'open' })),
  ).toMatchObject({ status: 422, field: 'state' })
})

test('filters by issue, author and branch', async () => {
  const { world, otto, mel, agent, draft, fromBranch, issue } = await makePullWorld()
  const of = await issue()
  const bot = await agent(otto)
  const forIssue = await draft(otto, null, { issue: of })
  const byAgent = await draft(bot, null)
  const branch = await fromBranch(mel)
  const numbers = async (filter: { issue?: number; author?: string; branch?: string }) =>
    (await world.call(listPulls, otto, { repo: REPO, ...filter })).items.map(({ number }) => number)
  expect(await numbers({ issue: of })).toEqual([forIssue])
  expect(await numbers({ author: 'otto' })).toEqual([forIssue])
  expect(await numbers({ author: 'otto/bot' })).toEqual([byAgent])
  expect(await numbers({ author: 'nobody' })).toEqual([])
  expect(await numbers({ branch: 'feature' })).toEqual([branch])
})

test('asks git for nothing: what is not known yet is unknown, and known soon after', async () => {
  const { world, hearth, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  await world.jobs()
  await world.write((tx) => tx.db.run('DELETE FROM pull_stats'))
  const [before] = (await world.call(listPulls, otto, { repo: REPO })).items
  expect(before).toMatchObject({ number, mergeable: 'unknown', commits_count: 0 })
  await hearth.jobs.idle()
  const [after] = (await world.call(listPulls, otto, { repo: REPO })).items
  expect(after).toMatchObject({ number, mergeable: 'yes', commits_count: 1 })
})

test('a private repository shows nothing to others', async () => {
  const { world, ada, otto } = await makePullWorld()
  await world.repo('acme/vault', { as: ada, private: true })
  expect(await refusal(world.call(listPulls, otto, { repo: 'acme/vault' }))).toMatchObject({
    status: 404,
  })
  expect((await world.call(listPulls, ada, { repo: 'acme/vault' })).items).toEqual([])
})
