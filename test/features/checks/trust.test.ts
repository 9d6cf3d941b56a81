import { expect, test } from 'bun:test'
import { rerunPullChecks } from '#features/pulls/checks/rerun-pull-checks.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { refusal } from '../../world.ts'
import { makeCheckWorld, REPO } from './fixture.ts'

test(`a stranger's change waits for a person with write, each head anew`, async () => {
  const { world, ada, mel, otto, agent, checked, checks, fork } = await makeCheckWorld()
  const number = await checked(otto, ['echo ran'])
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'pending',
    started_at: null,
    message: expect.stringContaining('otto'),
    results: [{ status: 'queued', output_tail: '' }],
  })
  expect(await refusal(world.call(rerunPullChecks, otto, { repo: REPO, number }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(
    await refusal(world.call(rerunPullChecks, await agent(ada), { repo: REPO, number })),
  ).toMatchObject({ status: 403, reason: 'person_required' })
  await world.jobs()
  expect((await checks(number)).results[0]?.status).toBe('queued')

  await world.call(rerunPullChecks, mel, { repo: REPO, number })
  await world.jobs()
  expect(await checks(number)).toMatchObject({ status: 'passed', message: null })
  // On the same head the author may run them again; a new one waits again.
  await world.call(rerunPullChecks, otto, { repo: REPO, number })
  await world.jobs()
  expect(await checks(number)).toMatchObject({ status: 'passed' })
  await world.commit(fork(number), 'main', { 'b.txt': 'something else\n' }, { as: otto })
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'pending',
    message: expect.stringContaining('let them run'),
  })
})

test(`an agent of a stranger is a stranger`, async () => {
  const { world, otto, agent, checked, checks } = await makeCheckWorld()
  const number = await checked(await agent(otto), ['echo ran'])
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'pending',
    message: expect.stringContaining('otto'),
  })
})

test(`a stranger's commands wait on everybody's change, until somebody who may has set them`, async () => {
  const { world, ada, mel, otto, checked, checks, pull } = await makeCheckWorld()
  const number = await checked(mel, ['echo of a stranger'], undefined, otto)
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'pending',
    message: expect.stringContaining('the commands are by otto'),
  })
  await world.call(updateIssue, ada, {
    repo: REPO,
    number: pull(number).issue ?? 0,
    checks: ['echo of ada'],
  })
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'passed',
    results: [{ output_tail: 'of ada\n' }],
  })
})

test('the repository may let them always run, after the first time, or never', async () => {
  const { world, ada, otto, checked, checks, configure, fork } = await makeCheckWorld({
    outside_runs: 'always',
  })
  const free = await checked(otto, ['echo ran'])
  await world.jobs()
  expect(await checks(free)).toMatchObject({ status: 'passed' })

  await configure({ outside_runs: 'approve_first' })
  const first = await checked(otto, ['echo ran'], { 'b.txt': 'first\n' })
  await world.jobs()
  expect(await checks(first)).toMatchObject({ status: 'pending' })
  await world.call(rerunPullChecks, ada, { repo: REPO, number: first })
  await world.jobs()
  await world.commit(fork(first), 'main', { 'b.txt': 'second\n' }, { as: otto })
  await world.jobs()
  expect(await checks(first)).toMatchObject({ status: 'passed' })

  await configure({ outside_runs: 'never' })
  const never = await checked(otto, ['echo ran'], { 'b.txt': 'never\n' })
  await world.jobs()
  expect(await checks(never)).toMatchObject({
    status: 'errored',
    message: expect.stringContaining('never'),
    results: [{ status: 'errored' }],
  })
})
