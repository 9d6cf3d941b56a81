import { expect, test } from 'bun:test'
import { getPullChecks } from '#features/pulls/checks/get-pull-checks.ts'
import { refusal } from '../../../world.ts'
import { makeCheckWorld } from '../../checks/fixture.ts'
import { REPO } from '../fixture.ts'

test('without commands there is nothing to run, nothing blocks, and only its own commits may be asked for', async () => {
  const { world, otto, ready, pull } = await makeCheckWorld()
  const number = await ready(otto)
  const head = pull(number).head_sha ?? ''
  expect(await world.call(getPullChecks, otto, { repo: REPO, number })).toEqual({
    sha: head,
    status: 'none',
    merge_sha: null,
    started_at: null,
    finished_at: null,
    message: null,
    results: [],
    statuses: [],
  })
  expect(
    await world.call(getPullChecks, otto, { repo: REPO, number, sha: head.slice(0, 9) }),
  ).toMatchObject({ sha: head })
  expect(
    await refusal(world.call(getPullChecks, otto, { repo: REPO, number, sha: 'abcdef0' })),
  ).toMatchObject({ status: 422, field: 'sha' })
})

test('an earlier head keeps the results it had', async () => {
  const { world, mel, checked, pull, fork, checks } = await makeCheckWorld()
  const number = await checked(mel, ['grep -q changed b.txt'])
  await world.jobs()
  const first = pull(number).head_sha ?? ''
  expect(await checks(number)).toMatchObject({ status: 'passed' })
  await world.commit(fork(number), 'main', { 'b.txt': 'broken\n' }, { as: mel })
  await world.jobs()
  expect(await checks(number)).toMatchObject({ sha: pull(number).head_sha, status: 'failed' })
  expect(await world.call(getPullChecks, mel, { repo: REPO, number, sha: first })).toMatchObject({
    sha: first,
    status: 'passed',
  })
})
