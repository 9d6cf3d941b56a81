import { expect, test } from 'bun:test'
import { rerunWorkflowRun } from '#features/workflows/runs/rerun-workflow-run.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

const grouped = (more = '') =>
  ONE_JOB.replace('jobs:', `concurrency:\n  group: \${{ github.ref }}\n${more}\njobs:`)

test('one run of a group at a time; of those that wait, the newest stays', async () => {
  const { push, take, finish, runs } = await makeRunsWorld()
  const states = async () =>
    (await runs()).map(({ status, conclusion, waiting_for }) => conclusion ?? waiting_for ?? status)
  await push({ [FILE]: grouped() })
  const first = await take()
  await push({ 'a.txt': '1' })
  expect(await states()).toEqual(['concurrency', 'in_progress'])
  expect(await take()).toBeNull()
  await push({ 'a.txt': '2' })
  expect(await states()).toEqual(['concurrency', 'cancelled', 'in_progress'])
  await finish(first)
  expect(await states()).toEqual(['queued', 'cancelled', 'success'])
  await finish(await take())
  expect(await states()).toEqual(['success', 'cancelled', 'success'])
})

test('cancel-in-progress stops the one that runs, and groups of other branches go on', async () => {
  const { push, take, runs, world } = await makeRunsWorld()
  await push({ [FILE]: grouped('  cancel-in-progress: true') })
  const first = await take()
  await push({ [FILE]: grouped('  cancel-in-progress: true') }, { branch: 'other' })
  expect(first?.stop.aborted).toBe(false)
  await push({ 'a.txt': '1' })
  expect(first?.stop.aborted).toBe(true)
  world.clock.advance(10_000)
  await world.jobs()
  expect((await runs()).map(({ ref, conclusion, status }) => [ref, conclusion ?? status])).toEqual([
    ['refs/heads/main', 'queued'],
    ['refs/heads/other', 'queued'],
    ['refs/heads/main', 'cancelled'],
  ])
})

const DEPLOYS = `name: Deploy
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: make test
  deploy:
    needs: test
    runs-on: ubuntu-latest
    concurrency:
      group: deploy-\${{ github.ref_name }}
    steps:
      - run: make deploy
`

test('a job waits for the group of another run, says for which, and then goes on', async () => {
  const { push, take, finish, runs, jobs } = await makeRunsWorld()
  await push({ [FILE]: DEPLOYS })
  await finish(await take())
  const deploying = await take()
  expect(deploying?.name).toBe('deploy')
  await push({ 'a.txt': '1' })
  // Jobs outside of the group do not wait.
  await finish(await take())
  expect(await take()).toBeNull()
  const [second] = await runs()
  const waiting = {
    status: 'waiting',
    waiting_for: 'concurrency',
    reason: 'Waits for the concurrency group deploy-main, which deploy of Deploy #1 has',
  }
  expect(second).toMatchObject(waiting)
  expect((await jobs(second?.id ?? ''))[1]).toMatchObject(waiting)
  await push({ 'a.txt': '2' })
  await finish(await take())
  // The newer one took the place of the one that waited.
  expect((await runs()).map(({ conclusion, waiting_for }) => conclusion ?? waiting_for)).toEqual([
    'concurrency',
    'cancelled',
    null,
  ])
  await finish(deploying)
  const next = await take()
  expect([next?.name, next?.run.number]).toEqual(['deploy', 3])
  expect((await jobs(next?.run.id ?? ''))[1]).toMatchObject({ waiting_for: null, reason: null })
  await finish(next)
  expect((await runs()).map(({ conclusion }) => conclusion)).toEqual([
    'success',
    'cancelled',
    'success',
  ])
})

test('queue: max keeps every job that waits, and the oldest goes first', async () => {
  const { push, take, finish, runs } = await makeRunsWorld()
  const whole = DEPLOYS.replace(/ {2}test:[\s\S]* {2}deploy:\n {4}needs: test\n/, '  deploy:\n')
  await push({ [FILE]: whole.replace('ref_name }}', 'ref_name }}\n      queue: max') })
  const numbers: number[] = []
  let running = await take()
  for (const text of ['1', '2', '3']) await push({ 'a.txt': text })
  while (running) {
    numbers.push(running.run.number)
    expect(await take()).toBeNull()
    await finish(running)
    running = await take()
  }
  expect(numbers).toEqual([1, 2, 3, 4])
  expect((await runs()).every(({ conclusion }) => conclusion === 'success')).toBe(true)
})

test('cancel-in-progress of a job stops the job of the older run within ten seconds', async () => {
  const { push, take, finish, runs, jobs, world } = await makeRunsWorld()
  await push({
    [FILE]: DEPLOYS.replace('ref_name }}', 'ref_name }}\n      cancel-in-progress: true'),
  })
  await world.jobs()
  const finishTest = async () => {
    const job = await take()
    expect(job?.name).toBe('test')
    await finish(job)
  }
  await finishTest()
  const old = await take()
  await push({ 'a.txt': '1' })
  await finishTest()
  expect(old?.stop.aborted).toBe(true)
  expect(await take()).toBeNull()
  // Its runner does not answer, and still it ends.
  world.clock.advance(10_000)
  await world.jobs()
  const cancelled = (await runs()).at(-1)
  expect(cancelled?.conclusion).toBe('cancelled')
  expect((await jobs(cancelled?.id ?? ''))[1]?.conclusion).toBe('cancelled')
  const next = await take()
  expect([next?.name, next?.run.number]).toEqual(['deploy', 2])
})

test('a group that the own run has is refused instead of waited for', async () => {
  const { push, runs, jobs } = await makeRunsWorld()
  await push({
    [FILE]: ONE_JOB.replace('jobs:', 'concurrency: One\njobs:').replace(
      '    steps',
      '    concurrency: one\n    steps',
    ),
  })
  const [run] = await runs()
  expect(run?.conclusion).toBe('failure')
  expect((await jobs(run?.id ?? ''))[0]?.reason).toBe(
    'The concurrency group one is that of its run or caller already',
  )
})

test('a run that runs again waits for a newer one of its group', async () => {
  const { push, take, finish, runs, run, world, ada } = await makeRunsWorld()
  await push({ [FILE]: grouped() })
  const first = await take()
  await finish(first)
  const again = first?.run.id ?? ''
  await push({ 'a.txt': '1' })
  const newer = await take()
  await world.call(rerunWorkflowRun, ada, { ...REPO, id: again })
  await world.jobs()
  expect(await run(again)).toMatchObject({
    waiting_for: 'concurrency',
    reason: 'Waits for the concurrency group refs/heads/main, which Test #2 has',
  })
  expect(await take()).toBeNull()
  await finish(newer)
  await finish(await take())
  expect((await runs()).map(({ conclusion }) => conclusion)).toEqual(['success', 'success'])
})
