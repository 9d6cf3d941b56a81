import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { getPullChecks } from '#features/pulls/get-pull-checks.ts'
import { mergePull } from '#features/pulls/merge-pull.ts'
import { refusal } from '../../world.ts'
import { makePullWorld, REPO } from './fixture.ts'

test('says truthfully that nothing ran, and what nothing runs blocks nothing', async () => {
  const { world, ada, otto, ready, pull } = await makePullWorld()
  const { number: issue } = await world.call(createIssue, ada, { repo: REPO, title: 'Checked', checks: ['make test'] })
  const number = await ready(otto, undefined, { issue })
  const head = pull(number).head_sha ?? ''
  expect(await world.call(getPullChecks, otto, { repo: REPO, number })).toEqual({
    sha: head, status: 'none', merge_sha: null, started_at: null, finished_at: null, results: [], statuses: [],
  })
  expect(await world.call(getPullChecks, otto, { repo: REPO, number, sha: head.slice(0, 9) })).toMatchObject({ sha: head })
  expect(await refusal(world.call(getPullChecks, otto, { repo: REPO, number, sha: 'abcdef0' }))).toMatchObject({ status: 422, field: 'sha' })
  expect(await world.call(mergePull, ada, { repo: REPO, number })).toMatchObject({ status: 'merged', checks_status: 'none' })
})
