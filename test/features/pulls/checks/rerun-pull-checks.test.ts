import { expect, test } from 'bun:test'
import { rerunPullChecks } from '#features/pulls/checks/rerun-pull-checks.ts'
import { makeCheckWorld, REPO, until } from '../../checks/fixture.ts'
import { refusal } from '../../../world.ts'

test('runs them again on the present head, for its author and for write', async () => {
  const { world, mel, otto, agent, checked, checks } = await makeCheckWorld()
  const number = await checked(mel, ['echo once; test ! -e /tmp/x'])
  await world.jobs()
  const first = await checks(number)
  expect(await refusal(world.call(rerunPullChecks, otto, { repo: REPO, number }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const begun = await world.call(rerunPullChecks, await agent(mel), { repo: REPO, number })
  expect(begun).toMatchObject({
    sha: first.sha,
    status: 'pending',
    results: [{ status: 'queued', output_tail: '' }],
    statuses: [],
  })
  expect(begun.results[0]?.id).not.toBe(first.results[0]?.id)
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'passed',
    results: [{ id: begun.results[0]?.id }],
  })
  expect(world.events('checks.completed')).toHaveLength(2)
})

test('refuses what has nothing to run, or runs already', async () => {
  const { world, ada, mel, checked, checks, draft, ready } = await makeCheckWorld()
  const number = await checked(mel, ['echo working; sleep 2'])
  const jobs = world.jobs()
  await until(async () => (await checks(number)).results[0]?.status === 'running')
  expect(await refusal(world.call(rerunPullChecks, ada, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'in_progress',
  })
  await jobs
  const drafted = await draft(mel)
  expect(
    await refusal(world.call(rerunPullChecks, mel, { repo: REPO, number: drafted })),
  ).toMatchObject({ status: 409, reason: 'draft' })
  const without = await ready(mel)
  expect(
    await refusal(world.call(rerunPullChecks, mel, { repo: REPO, number: without })),
  ).toMatchObject({ status: 409, reason: 'not_ready' })
  expect(
    await refusal(world.call(rerunPullChecks, mel, { repo: REPO, number: 999 })),
  ).toMatchObject({ status: 404 })
})
