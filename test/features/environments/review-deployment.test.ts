import { expect, test } from 'bun:test'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { reviewDeployment } from '#features/environments/review-deployment.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { rerunWorkflowRun } from '#features/workflows/runs/rerun-workflow-run.ts'
import { refusal } from '../../world.ts'
import { DEPLOY, FILE, makeEnvironmentsWorld, REPO } from './fixture.ts'

test('a job waits for a reviewer, who is told, and only then gets its secrets', async () => {
  const { world, ada, bob, push, protect, take, finish, runs, jobs, review, deployments } =
    await makeEnvironmentsWorld()
  await world.call(setSecret, ada, {
    ...REPO,
    setting: 'KEY',
    value: 'hush hush',
    environments: ['Production'],
  })
  await protect({ reviewers: ['bob'] })
  await push({ [FILE]: DEPLOY.replace('make deploy', 'deploy ${{ secrets.KEY }}') })
  const reason = 'Waits for approval of bob to deploy to production'
  const waiting = { status: 'waiting', waiting_for: 'environment', reason }
  const [run] = await runs()
  expect(run).toMatchObject(waiting)
  expect((await jobs(run?.id ?? ''))[0]).toMatchObject(waiting)
  expect(await take()).toBeNull()
  expect((await deployments())[0]).toMatchObject({ state: 'waiting', waits_for: reason })
  expect(world.events('deployment.waiting').map(({ data }) => data.reviewers)).toEqual([['bob']])
  const told = (await world.call(listNotifications, bob, {})).items
  expect(told.map(({ reason: why, subject }) => [why, subject.kind, subject.title])).toEqual([
    ['run_approval', 'run', 'the job ship waits for approval to deploy to production'],
  ])
  expect(told[0]?.subject.url).toContain(`/acme/site/runs/${run?.id}`)

  expect((await refusal(review(ada, 'approve'))).reason).toBe('role')
  const approved = await review(bob, 'approve', ' looks good ')
  expect(approved.reviews).toMatchObject([
    { by: { username: 'bob' }, verdict: 'approve', comment: 'looks good' },
  ])
  const job = await take()
  expect(job?.secrets).toMatchObject({ KEY: 'hush hush' })
  const again = world.call(reviewDeployment, bob, {
    ...REPO,
    id: approved.id,
    verdict: 'approve',
  })
  expect((await refusal(again)).reason).toBe('not_ready')
  await finish(job)
  expect((await runs())[0]?.conclusion).toBe('success')
})

test('a rejection fails the job, and a rerun asks again', async () => {
  const { world, ada, bob, push, protect, take, runs, jobs, review, deployments } =
    await makeEnvironmentsWorld()
  await protect({ reviewers: ['bob'] })
  await push({ [FILE]: DEPLOY })
  await review(bob, 'reject', 'Not on a Friday')
  const [run] = await runs()
  expect(run?.conclusion).toBe('failure')
  expect((await jobs(run?.id ?? ''))[0]?.reason).toBe('bob rejected the deployment to production')
  await world.call(rerunWorkflowRun, ada, { ...REPO, id: run?.id ?? '' })
  await world.jobs()
  expect(await take()).toBeNull()
  expect((await deployments()).map(({ state }) => state)).toEqual(['waiting', 'rejected'])
})

test('whoever started a run does not approve it either when somebody else runs it again', async () => {
  const { world, ada, bob, push, protect, review, runs } = await makeEnvironmentsWorld()
  await protect({ reviewers: ['ada', 'bob'] })
  await push({ [FILE]: DEPLOY })
  await review(bob, 'reject', 'Not now')
  const [run] = await runs()
  await world.call(rerunWorkflowRun, bob, { ...REPO, id: run?.id ?? '' })
  await world.jobs()
  expect((await refusal(review(ada, 'approve'))).message).toContain('started this run')
  expect((await refusal(review(bob, 'approve'))).message).toContain('started this run')
})

test('whoever started a run does not approve it, unless the environment allows it', async () => {
  const { world, ada, bob, push, protect, take, review } = await makeEnvironmentsWorld()
  await world.call(createTeam, ada, { workspace: 'acme', name: 'Ops' })
  await world.call(setTeamMember, ada, { workspace: 'acme', team: 'ops', username: 'bob' })
  await protect({ reviewers: ['ada', 'acme/ops'] })
  await push({ [FILE]: DEPLOY })
  expect((await refusal(review(ada, 'approve'))).message).toContain('started this run')
  await review(bob, 'approve')
  expect((await take())?.name).toBe('ship')
  await protect({ prevent_self_review: false })
  await push({ 'a.txt': '1' })
  await review(ada, 'approve')
  expect((await take())?.name).toBe('ship')
})
