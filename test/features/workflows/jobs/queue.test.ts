import { describe, expect, test } from 'bun:test'
import { setSecret } from '#features/variables/set-secret.ts'
import {
  finishJob,
  requeueUndeliveredJob,
  renewLease,
  reportSteps,
  takeQueuedJob,
} from '#features/workflows/index.ts'
import { cancelRun } from '#features/workflows/runs/cancel-run.ts'
import { runningJobs } from '#features/workflows/jobs/running-jobs.ts'
import { checkRunners } from '#features/workflows/sweep.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO, RUNNER } from '../fixture.ts'

/** Runs the sweep as it is due every 30 seconds. */
const sweep = async ({ hearth, world }: Awaited<ReturnType<typeof makeRunsWorld>>) => {
  const signal = new AbortController().signal
  await checkRunners.run({ hearth, signal, attempt: 1, id: 'sweep' }, null)
  await world.jobs()
}

describe('a job that is cut off by a stop', () => {
  /** Forgets what ran in this process, as a new process does. */
  const restart = async (made: Awaited<ReturnType<typeof makeRunsWorld>>, job_id = '') => {
    runningJobs(made.hearth).end(job_id)
    await sweep(made)
  }

  test('runs again once, then has failed', async () => {
    const made = await makeRunsWorld()
    const { push, take, runs, jobs } = made
    await push()
    const first = await take()
    await restart(made, first?.id)
    expect((await jobs((await runs())[0]?.id ?? ''))[0]?.status).toBe('queued')
    const second = await take()
    expect(second?.id).toBe(first?.id ?? '')
    await restart(made, second?.id)
    expect((await runs())[0]).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect((await jobs((await runs())[0]?.id ?? ''))[0]?.reason).toBe(
      'The server was stopped while the job ran',
    )
  })

  test('does not run again when it had a secret', async () => {
    const made = await makeRunsWorld()
    const { push, take, runs, world, ada } = made
    await world.call(setSecret, ada, { ...REPO, setting: 'TOKEN', value: 'hush hush' })
    await push({ [FILE]: ONE_JOB.replace('make', '${{ secrets.TOKEN }}') })
    await restart(made, (await take())?.id)
    expect((await runs())[0]).toMatchObject({ status: 'completed', conclusion: 'failure' })
  })

  test('is not run again when it was being cancelled', async () => {
    const made = await makeRunsWorld()
    const { push, take, runs, jobs, world, ada } = made
    await push()
    const taken = await take()
    const id = (await runs())[0]?.id ?? ''
    await world.call(cancelRun, ada, { ...REPO, id })
    await restart(made, taken?.id)
    expect((await jobs(id))[0]).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
    expect(await take()).toBeNull()
    expect((await runs())[0]).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  })

  test('goes on when two slots of its process tried to take it', async () => {
    const made = await makeRunsWorld()
    const { push, take, runs, jobs } = made
    await push()
    const taken = (await Promise.all([take(), take()])).filter((job) => job !== null)
    expect(taken).toHaveLength(1)
    expect(runningJobs(made.hearth).has(taken[0]?.id ?? '')).toBe(true)
    await sweep(made)
    expect((await jobs((await runs())[0]?.id ?? ''))[0]?.status).toBe('in_progress')
  })

  test('goes on while its process has it', async () => {
    const made = await makeRunsWorld()
    const { push, take, runs, world } = made
    await push()
    await take()
    world.clock.advance(5 * MINUTE)
    await sweep(made)
    expect((await runs())[0]?.status).toBe('in_progress')
  })
})

test('a runner elsewhere that stops reporting loses its job after a minute', async () => {
  const made = await makeRunsWorld()
  const { push, runs, jobs, world, hearth } = made
  await push()
  const far = { ...RUNNER, id: 'rnr_far', name: 'far' }
  const job = await takeQueuedJob(hearth, far)
  await reportSteps(hearth, job?.id ?? '', [], { bytes: 5, lines: 1, state: 'live' })
  for (let n = 0; n < 3; n++) {
    world.clock.advance(40 * SECOND)
    expect(await renewLease(hearth, job?.id ?? '')).toBe(true)
    await sweep(made)
    expect((await runs())[0]?.status).toBe('in_progress')
  }
  world.clock.advance(61 * SECOND)
  await sweep(made)
  const [run] = await runs()
  expect(run?.conclusion).toBe('failure')
  expect((await jobs(run?.id ?? ''))[0]?.reason).toBe('The runner far stopped reporting')
  expect(await renewLease(hearth, job?.id ?? '')).toBe(false)
  await finishJob(hearth, job?.id ?? '', { conclusion: 'success', reason: null, outputs: {} })
  expect((await runs())[0]?.conclusion).toBe('failure')
})

test('a job that its runner never began is given to another one, once', async () => {
  const made = await makeRunsWorld()
  const { push, runs, world, hearth, take } = made
  await push()
  const far = { ...RUNNER, id: 'rnr_far', name: 'far' }
  const lost = await takeQueuedJob(hearth, far)
  await sweep(made)
  expect(await take()).toBeNull()
  world.clock.advance(2 * MINUTE)
  await sweep(made)
  expect((await takeQueuedJob(hearth, far))?.id).toBe(lost?.id ?? '')
  world.clock.advance(2 * MINUTE)
  await sweep(made)
  expect((await runs())[0]).toMatchObject({ status: 'completed', conclusion: 'failure' })
})

test('a job that could not be handed over is queued again at once', async () => {
  const { push, hearth, take } = await makeRunsWorld()
  await push()
  const lost = await takeQueuedJob(hearth, { ...RUNNER, id: 'rnr_far', name: 'far' })
  await requeueUndeliveredJob(hearth, lost?.id ?? '')
  expect((await take())?.id).toBe(lost?.id ?? '')
})

test('a runner sees its jobs behind many that it cannot run, and serves its repositories only', async () => {
  const { push, hearth, take } = await makeRunsWorld()
  const matrix = `strategy: { matrix: { n: [${Array.from({ length: 120 }, (_, n) => n).join()}] } }`
  const many = ONE_JOB.replace('runs-on: ubuntu-latest', `${matrix}\n    runs-on: macos-latest`)
  await push({ [FILE]: many })
  await push({ [FILE]: ONE_JOB })
  expect(await takeQueuedJob(hearth, { ...RUNNER, serves: () => false })).toBeNull()
  expect((await take())?.name).toBe('build')
})

test('two runners never get the same job, and a busy workspace lets others go first', async () => {
  const { push, hearth, world, ada } = await makeRunsWorld()
  const matrix = ONE_JOB.replace(
    'runs-on',
    'strategy: { matrix: { n: [1, 2, 3, 4] } }\n    runs-on',
  )
  await push({ [FILE]: matrix })
  await world.workspace('other', { owner: ada })
  await world.repo('other/site', { as: ada })
  await world.commit('other/site', 'main', { [FILE]: ONE_JOB }, { as: ada })
  await world.jobs()
  const both = await Promise.all([takeQueuedJob(hearth, RUNNER), takeQueuedJob(hearth, RUNNER)])
  const names = both.map((job) => `${job?.repo.full_name} ${job?.name}`)
  expect(new Set(names).size).toBe(2)
  const third = await takeQueuedJob(hearth, RUNNER)
  expect([...names, `${third?.repo.full_name} ${third?.name}`]).toContain('other/site build')
})

test('a runner takes no code of strangers unless it is for that', async () => {
  const { push, hearth } = await makeRunsWorld()
  await push()
  await hearth.writer.write(() => hearth.database.run('UPDATE workflow_runs SET trusted = 0'))
  expect(await takeQueuedJob(hearth, { ...RUNNER, takesUntrusted: false })).toBeNull()
  expect(await takeQueuedJob(hearth, RUNNER)).not.toBeNull()
})
