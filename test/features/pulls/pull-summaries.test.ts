import { expect, test } from 'bun:test'
import { pullSummaries } from '#features/pulls/pull-summaries.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { makePullWorld, REPO } from './fixture.ts'
import { countQueries } from '../../queries.ts'

test('tells status, review and checks of several pull requests with as many queries', async () => {
  const { world, hearth, ada, mel, otto, ready, draft, row, pull } = await makePullWorld()
  const repo_id = row().id
  const one = await ready(otto, { 'c.txt': 'c\n' })
  const two = await ready(otto, { 'd.txt': 'd\n' })
  const three = await draft(otto)
  const report = (number: number, state: 'success' | 'failure') =>
    world.call(setCommitStatus, ada, {
      repo: REPO,
      sha: pull(number).head_sha ?? '',
      state,
      context: 'ci',
    })
  await report(one, 'success')
  await report(two, 'failure')
  await world.call(reviewPull, mel, { repo: REPO, number: one, verdict: 'approve' })
  await world.call(reviewPull, mel, {
    repo: REPO,
    number: two,
    verdict: 'request_changes',
    body: 'No.',
  })
  await world.jobs()
  const asked = async (numbers: readonly number[]) => {
    const { result, queries } = await countQueries(hearth, () =>
      pullSummaries(
        hearth,
        numbers.map((number) => ({ repo_id, number })),
      ),
    )
    return { found: [...result.values()], queries }
  }
  const all = await asked([one, two, three])
  expect(all.found).toEqual([
    { status: 'open', review: 'approved', checks: 'passed' },
    { status: 'open', review: 'changes_requested', checks: 'failed' },
    { status: 'draft', review: 'none', checks: 'none' },
  ])
  expect((await asked([one])).queries).toBe(all.queries)
  expect((await asked([999])).found).toEqual([])
})
