import { expect, test } from 'bun:test'
import { setSecret } from '#features/variables/set-secret.ts'
import { setVariable } from '#features/variables/set-variable.ts'
import { cancelRun } from '#features/workflows/runs/cancel-run.ts'
import { externalRunner } from '#features/runners/external-runner.ts'
import { openTasks } from '#features/runners/protocol/open-tasks.ts'
import { closeTasks } from '#features/runners/protocol/task-end.ts'
import { findRunner } from '#features/runners/store-runners.ts'
import { findTask } from '#features/runners/store-tasks.ts'
import { takeQueuedJob } from '#features/workflows/jobs/queue.ts'
import { checkRunners } from '#features/workflows/sweep.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWireWorld, REPO } from './wire.ts'

const FILE = `name: CI
on: push
env: { LEVEL: workflow }
jobs:
  build:
    runs-on: linux
    strategy: { matrix: { os: [north] } }
    outputs: { made: '\${{ steps.make.outputs.x }}' }
    steps:
      - { id: make, name: 'Make \${{ matrix.os }}', run: 'echo \${{ strategy.job-total }} \${{ secrets.KEY }}' }
      - { if: failure(), run: exit 1, continue-on-error: true }
  after:
    needs: build
    if: always()
    runs-on: linux
    steps: [{ run: 'echo \${{ needs.build.outputs.made }}' }]
`

test('a job goes to a runner, and its log, steps, outputs and result come back', async () => {
  const { world, ada, runner, push, run, jobs, text } = await makeWireWorld()
  await world.call(setSecret, ada, { ...REPO, setting: 'KEY', value: 'top-secret-key' })
  await world.call(setVariable, ada, { ...REPO, setting: 'REGION', value: 'north' })
  const far = await runner()
  expect(await far.fetch()).toBeNull()
  await push(FILE)
  const task = await far.fetch()
  const id = task?.id ?? 0
  const file = JSON.parse(new TextDecoder().decode(task?.workflowPayload))
  expect(Object.keys(file.jobs)).toEqual(['build'])
  expect(file.env).toEqual({ LEVEL: 'workflow', ACTIONS_CACHE_SERVICE_V2: 'true' })
  expect(file.jobs.build.strategy).toEqual({ matrix: { os: ['north'] } })
  expect(file.jobs.build.steps[0].run).toContain('"job-total":1')
  expect(file.jobs.build.steps[0].run).toContain('{{ secrets.KEY }}')
  expect(task?.secrets.KEY).toBe('top-secret-key')
  expect(task?.vars).toEqual({ REGION: 'north' })
  expect(task?.context).toMatchObject({ repository: 'acme/site', event_name: 'push', job: 'build' })

  expect(await far.log(id, 0, ['set up', 'first', '::error file=a.js,line=3::broken'])).toBe(3)
  // The answer was lost: the same rows come again, with one more.
  const again = [
    'set up',
    'first',
    '::error file=a.js,line=3::broken',
    'two\nlines of top-secret-key',
  ]
  expect(await far.log(id, 0, again)).toBe(4)
  const runtimeToken = String(task?.context.gitea_runtime_token)
  expect(await far.log(id, 4, [`last ${runtimeToken}`])).toBe(5)
  const steps = [
    { result: 'RESULT_SUCCESS', startedAt: 1, stoppedAt: 2, logIndex: 1, logLength: 3 },
    { result: 'RESULT_FAILURE', startedAt: 1, stoppedAt: 2, logIndex: 4, logLength: 1 },
  ] as const
  expect(await far.state(id, { steps }, { made: '7', leaked: 'x top-secret-key' })).toEqual({
    result: 'RESULT_UNSPECIFIED',
    sentOutputs: ['made', 'leaked'],
  })
  const [running] = await jobs()
  expect(running).toMatchObject({ status: 'in_progress', runner: { name: 'far' } })
  expect(await far.log(id, 5, [], true)).toBe(5)
  expect((await far.state(id, { result: 'RESULT_SUCCESS', steps })).result).toBe('RESULT_SUCCESS')
  // A repeated report changes nothing.
  expect((await far.state(id, { result: 'RESULT_FAILURE', steps })).result).toBe('RESULT_FAILURE')
  await world.jobs()
  const [build] = await jobs()
  expect(build).toMatchObject({ conclusion: 'success', status: 'completed' })
  expect(
    build?.steps.map((step) => [step.name, step.conclusion, step.log_from, step.log_to]),
  ).toEqual([
    ['Make north', 'success', 2, 5],
    ['Run exit 1', 'success', 6, 6],
  ])
  expect(build?.annotations).toMatchObject([{ level: 'failure', step: 1, file: 'a.js', line: 3 }])
  expect(await text(build?.id ?? '')).toEqual([
    'set up',
    'first',
    '##[error]broken',
    'two',
    'lines of ***',
    'last ***',
  ])
  const next = await far.fetch()
  expect(next?.needs).toEqual({ build: { outputs: { made: '7' }, result: 'RESULT_SUCCESS' } })
  await far.log(next?.id ?? 0, 0, ['x'], true)
  await far.state(next?.id ?? 0, { result: 'RESULT_FAILURE' })
  await world.jobs()
  expect(await run()).toMatchObject({ status: 'completed', conclusion: 'failure' })
})

const ONE = 'on: push\njobs: { build: { runs-on: linux, steps: [{ run: make }] } }\n'

test('a runner that waits gets a job the moment it is queued', async () => {
  const { runner, push } = await makeWireWorld()
  const far = await runner()
  const waiting = far.fetch(60_000)
  await push(ONE)
  expect(await waiting).not.toBeNull()
})

test('each request of a runner for several jobs at a time waits for one', async () => {
  const { runner, push } = await makeWireWorld()
  const far = await runner()
  const key = (text: string) => ({ 'x-runner-request-key': text })
  const waiting = [far.fetch(60_000, key('a')), far.fetch(60_000, key('b'))]
  await push(ONE.replace('runs-on', 'strategy: { matrix: { n: [1, 2] } }, runs-on'))
  const [first, second] = await Promise.all(waiting)
  expect(first).not.toBeNull()
  expect(second).not.toBeNull()
  expect(second?.id).not.toBe(first?.id)
})

test('a cancelled job is told to stop, ends as cancelled, and keeps its log', async () => {
  const { world, ada, runner, push, run, jobs, text } = await makeWireWorld()
  const far = await runner()
  await push(ONE)
  const id = (await far.fetch())?.id ?? 0
  await far.log(id, 0, ['one'])
  await world.call(cancelRun, ada, { ...REPO, id: (await run())?.id ?? '' })
  expect((await far.state(id)).result).toBe('RESULT_CANCELLED')
  world.clock.advance(11_000)
  await world.jobs()
  expect(await run()).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  expect((await far.state(id)).result).toBe('RESULT_CANCELLED')
  expect(await far.log(id, 1, ['two'], true)).toBe(2)
  await far.state(id, { result: 'RESULT_FAILURE' })
  expect((await run())?.conclusion).toBe('cancelled')
  expect(await text((await jobs())[0]?.id ?? '')).toEqual(['one', 'two'])
})

test('a new process goes on with a log where the old one stopped, secrets hidden', async () => {
  const { world, ada, runner, push, jobs, text } = await makeWireWorld()
  await world.call(setSecret, ada, { ...REPO, setting: 'KEY', value: 'top-secret-key' })
  const far = await runner()
  await push(ONE.replace('make', '"${{ secrets.KEY }}"'))
  const id = (await far.fetch())?.id ?? 0
  await far.log(id, 0, ['a\nb', 'c'])
  openTasks(world.hearth).drop(id)
  expect(await far.log(id, 1, ['c', 'd top-secret-key'])).toBe(3)
  await far.log(id, 3, [], true)
  const steps = [{ result: 'RESULT_SUCCESS', startedAt: 1, logIndex: 2, logLength: 1 }] as const
  await far.state(id, { result: 'RESULT_SUCCESS', steps })
  const [build] = await jobs()
  expect(build?.steps[0]).toMatchObject({ log_from: 4, log_to: 4 })
  expect(await text(build?.id ?? '')).toEqual(['a', 'b', 'c', 'd ***'])
})

test('a new process hides the token and what steps let hide', async () => {
  const { world, runner, push, jobs, text } = await makeWireWorld()
  const far = await runner()
  await push(ONE)
  const task = await far.fetch()
  const id = task?.id ?? 0
  const token = task?.secrets.GITHUB_TOKEN ?? ''
  expect(token).not.toBe('')
  openTasks(world.hearth).drop(id)
  await far.log(id, 0, [`1 ${token}`, '::add-mask::first-value'])
  openTasks(world.hearth).drop(id)
  await far.log(id, 2, ['::add-mask::second-value', '2 first-value'])
  expect(findTask(world.hearth.db, id)?.masks).not.toContain('-value')
  openTasks(world.hearth).drop(id)
  await far.log(id, 4, [`3 ${token} first-value second-value`], true)
  await far.state(id, { result: 'RESULT_SUCCESS' }, { leaked: 'a second-value' })
  expect(await text((await jobs())[0]?.id ?? '')).toEqual([
    '1 ***',
    '::add-mask::***',
    '::add-mask::***',
    '2 ***',
    '3 *** *** ***',
  ])
  expect(findTask(world.hearth.db, id)).toMatchObject({ closed: 1, masks: null })
})

test('a result that came before the end of the log counts when nothing more comes', async () => {
  const { world, runner, push, run } = await makeWireWorld()
  const far = await runner()
  await push(ONE)
  const id = (await far.fetch())?.id ?? 0
  await far.log(id, 0, ['x'])
  await far.state(id, { result: 'RESULT_SUCCESS' })
  expect((await run())?.status).toBe('in_progress')
  world.clock.advance(50_000)
  await closeTasks.run(
    { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'close' },
    null,
  )
  await world.jobs()
  expect(await run()).toMatchObject({ status: 'completed', conclusion: 'success' })
})

test('a runner for one job gets one and is gone; a removed one gets none', async () => {
  const { world, runner, push, remove } = await makeWireWorld()
  const once = await runner({ ephemeral: true })
  const other = await runner()
  await push(ONE.replace('runs-on', 'strategy: { matrix: { n: [1, 2, 3] } }, runs-on'))
  const id = (await once.fetch())?.id ?? 0
  expect(await once.fetch()).toBeNull()
  await once.log(id, 0, [], true)
  await once.state(id, { result: 'RESULT_SUCCESS' })
  expect(once.fetch()).rejects.toThrow('unauthenticated')
  await world.jobs()
  await remove(other.id)
  expect(other.fetch()).rejects.toThrow('unauthenticated')
})

test('a runner for one job gets one, however often it asks at once', async () => {
  const { world, runner, push, jobs } = await makeWireWorld()
  const { id } = await runner({ ephemeral: true })
  await push(ONE.replace('runs-on', 'strategy: { matrix: { n: [1, 2, 3] } }, runs-on'))
  const row = findRunner(world.hearth.db, id)
  if (!row) throw new Error('the runner is registered')
  const take = () => takeQueuedJob(world.hearth, externalRunner(row))
  const taken = await Promise.all([take(), take(), take()])
  expect(taken.filter((job) => job !== null)).toHaveLength(1)
  expect((await jobs()).filter(({ status }) => status === 'in_progress')).toHaveLength(1)
})

test('a removed runner leaves no job and no token', async () => {
  const { world, runner, push, remove, jobs } = await makeWireWorld()
  const far = await runner()
  await push(ONE.replace('runs-on', 'strategy: { matrix: { n: [1, 2] } }, runs-on'))
  const tasks = [await far.fetch(), await far.fetch()]
  await far.log(tasks[0]?.id ?? 0, 0, ['begun'])
  const callers = () =>
    tasks.map((task) => world.hearth.callers.byToken(task?.secrets.GITHUB_TOKEN ?? ''))
  expect(callers()).not.toContain(null)
  await remove(far.id)
  expect(callers()).toEqual([null, null])
  const left = await jobs()
  expect(left.map(({ status, conclusion }) => [status, conclusion])).toEqual([
    ['completed', 'failure'],
    ['queued', null],
  ])
  expect(left[0]?.reason).toBe('The runner far was removed')
})

test('a task of another runner is none of its business', async () => {
  const { runner, push } = await makeWireWorld()
  const far = await runner()
  const other = await runner()
  await push(ONE)
  const id = (await far.fetch())?.id ?? 0
  expect(other.log(id, 0, ['mine'])).rejects.toThrow('not_found')
  expect(other.state(id, { result: 'RESULT_SUCCESS' })).rejects.toThrow('not_found')
})

test('a job that its runner left is given to another one, and the first is not heard', async () => {
  const { world, runner, push, jobs, run } = await makeWireWorld()
  const far = await runner()
  const other = await runner()
  await push(ONE)
  const lost = (await far.fetch())?.id ?? 0
  const due = { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'due' }
  await checkRunners.run(due, null)
  world.clock.advance(2 * MINUTE)
  await checkRunners.run(due, null)
  await world.jobs()
  const task = await other.fetch()
  expect(task?.id).not.toBe(lost)
  await far.log(lost, 0, ['stale'], true)
  expect((await far.state(lost, { result: 'RESULT_FAILURE' })).result).toBe('RESULT_FAILURE')
  expect((await jobs())[0]).toMatchObject({ status: 'in_progress', log_bytes: 0 })
  await other.log(task?.id ?? 0, 0, ['fresh'], true)
  await other.state(task?.id ?? 0, { result: 'RESULT_SUCCESS' })
  await world.jobs()
  expect((await run())?.conclusion).toBe('success')
})
