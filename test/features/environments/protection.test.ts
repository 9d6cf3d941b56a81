import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
import { approveRun } from '#features/workflows/runs/approve-run.ts'
import { DAY, MINUTE } from '#lib/time.ts'
import { sweepDeployments } from '#features/environments/sweep.ts'
import { listEnvironments } from '#features/environments/list-environments.ts'
import { DEPLOY, FILE, makeEnvironmentsWorld, REPO } from './fixture.ts'

test('the waiting time counts from the beginning, and comes on top of an approval', async () => {
  const { world, bob, push, protect, take, runs, review } = await makeEnvironmentsWorld()
  await protect({ reviewers: ['bob'], wait_minutes: 30 })
  await push({ [FILE]: DEPLOY })
  world.clock.advance(10 * MINUTE)
  await review(bob, 'approve')
  expect((await runs())[0]?.reason).toMatch(/^Waits until \d{4}-.* UTC to deploy to production$/)
  expect(await take()).toBeNull()
  world.clock.advance(20 * MINUTE - 1)
  await world.jobs()
  expect(await take()).toBeNull()
  world.clock.advance(1)
  await world.jobs()
  expect((await take())?.name).toBe('ship')
})

test('only the branches of an environment deploy', async () => {
  const { push, protect, take, runs, jobs } = await makeEnvironmentsWorld()
  await protect({ branches: ['main', 'release/*'] })
  const conclusions = async () => {
    const [run] = await runs()
    return [run?.conclusion, (await jobs(run?.id ?? ''))[0]?.reason]
  }
  await push({ [FILE]: DEPLOY }, { branch: 'other' })
  expect(await conclusions()).toEqual([
    'failure',
    'other may not deploy to production, which takes main, release/*',
  ])
  await push({ [FILE]: DEPLOY }, { branch: 'release/1' })
  expect((await take())?.run.ref).toBe('refs/heads/release/1')
})

test('a change from outside waits too, and makes no environment', async () => {
  const { world, ada, eve, push, drain, take, runs } = await makeEnvironmentsWorld()
  await push({
    [FILE]: DEPLOY.replace('push', 'pull_request').replace(
      'production',
      'preview-${{ github.event.pull_request.title }}',
    ),
  })
  await drain()
  const { pull } = await world.call(createPull, eve, { ...REPO, title: 'Outside' })
  await world.commit(
    `acme/site/pull/${pull.number}`,
    pull.branch ?? '',
    { 'a.txt': 'a' },
    { as: eve },
  )
  await world.jobs()
  const [run] = await runs()
  expect(run).toMatchObject({ waiting_for: 'approval', trusted: false })
  await world.call(approveRun, ada, { ...REPO, id: run?.id ?? '' })
  await world.jobs()
  expect((await take())?.isTrusted).toBe(false)
  expect((await world.call(listEnvironments, ada, REPO)).items).toEqual([])
})

test('a deployment that nobody approves ends after 30 days', async () => {
  const { hearth, world, push, protect, runs, jobs, deployments } = await makeEnvironmentsWorld()
  await protect({ reviewers: ['bob'] })
  await push({ [FILE]: DEPLOY })
  const sweep = async () => {
    const { signal } = new AbortController()
    await sweepDeployments.run({ hearth, signal, attempt: 1, id: 'sweep' }, null)
    await world.jobs()
  }
  world.clock.advance(29 * DAY)
  await sweep()
  expect((await runs())[0]?.waiting_for).toBe('environment')
  world.clock.advance(DAY + 1)
  await sweep()
  const [run] = await runs()
  expect(run?.conclusion).toBe('failure')
  expect((await jobs(run?.id ?? ''))[0]?.reason).toBe(
    'Nobody approved the deployment to production within 30 days',
  )
  expect((await deployments())[0]?.state).toBe('rejected')
})
