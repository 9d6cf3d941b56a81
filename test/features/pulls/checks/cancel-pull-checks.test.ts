import { expect, test } from 'bun:test'
import { cancelPullChecks } from '#features/pulls/checks/cancel-pull-checks.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { rerunPullChecks } from '#features/pulls/checks/rerun-pull-checks.ts'
import { makeCheckWorld, REPO, until } from '../../checks/fixture.ts'
import { hasEnded } from '../../../runner/runners.ts'
import { refusal } from '../../../world.ts'

test('ends the command that runs and what would follow; that is no pass', async () => {
  const { world, ada, mel, otto, checked, checks } = await makeCheckWorld()
  const number = await checked(mel, ['echo working; sleep 4971', 'echo next'])
  const jobs = world.jobs()
  await until(async () => (await checks(number)).results[0]?.output_tail === 'working\n')
  expect(await refusal(world.call(cancelPullChecks, otto, { repo: REPO, number }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const cancelled = await world.call(cancelPullChecks, mel, { repo: REPO, number })
  expect(cancelled).toMatchObject({ status: 'errored', message: 'cancelled by mel' })
  expect(cancelled.results.map(({ status }) => status)).toEqual(['errored', 'skipped'])
  await jobs
  expect(await hasEnded('sleep 4971')).toBe(true)
  expect(await checks(number)).toMatchObject({ status: 'errored', message: 'cancelled by mel' })
  expect(
    (await world.call(getPull, ada, { repo: REPO, number })).blockers.map(({ code }) => code),
  ).toEqual(['checks_failed'])
  expect(world.events('checks.completed').map(({ data }) => data.status)).toEqual(['errored'])
  expect(await refusal(world.call(cancelPullChecks, mel, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'not_open',
  })
})

test('also what has not begun, or waits to be allowed', async () => {
  const { world, mel, otto, checked, checks } = await makeCheckWorld()
  const queued = await checked(mel, ['echo never'])
  await world.call(cancelPullChecks, mel, { repo: REPO, number: queued })
  await world.jobs()
  expect(await checks(queued)).toMatchObject({
    status: 'errored',
    started_at: null,
    results: [{ status: 'errored' }],
  })
  await world.call(rerunPullChecks, mel, { repo: REPO, number: queued })
  await world.jobs()
  expect(await checks(queued)).toMatchObject({ status: 'passed' })
  const waiting = await checked(otto, ['echo never'])
  expect(await world.call(cancelPullChecks, otto, { repo: REPO, number: waiting })).toMatchObject({
    status: 'errored',
  })
})
