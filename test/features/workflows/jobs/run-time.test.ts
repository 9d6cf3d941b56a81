/** The minutes of runs of a workspace, and their quota. */
import { expect, test } from 'bun:test'
import { listAllWorkspaces } from '#features/site/list-all-workspaces.ts'
import { setQuota } from '#features/site/set-quota.ts'
import { deleteRun } from '#features/workflows/runs/delete-run.ts'
import { dispatchWorkflow } from '#features/workflows/files/dispatch-workflow.ts'
import { rerunWorkflowRun } from '#features/workflows/runs/rerun-workflow-run.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

const CALLS = `name: Calls
on: push
jobs:
  outer: { uses: ./.hearth/workflows/called.yml }
`
const CALLED = `on: workflow_call
jobs:
  inner: { runs-on: ubuntu-latest, steps: [{ run: a }] }
`

async function makeMinutesWorld() {
  const made = await makeRunsWorld()
  const { world, take, finish } = made
  const root = await world.user('root', { site_admin: true })
  return {
    ...made,
    root,
    /** Takes the next job, and ends it after so long. */
    async runFor(ms: number): Promise<void> {
      const job = await take()
      world.clock.advance(ms)
      await finish(job)
    },
    async minutes() {
      const { items } = await world.call(listAllWorkspaces, root, { q: 'acme' })
      return items[0]?.usage.run_minutes_this_month
    },
    limit: (run_minutes: number | null) =>
      world.call(setQuota, root, { workspace: 'acme', run_minutes }),
  }
}

test('minutes of jobs are counted once, and stay when the run is deleted', async () => {
  const { world, ada, push, runs, runFor, minutes } = await makeMinutesWorld()
  expect(await minutes()).toEqual({ used: 0, limit: null })
  await push()
  await runFor(61 * SECOND)
  expect(await minutes()).toEqual({ used: 2, limit: null })
  await push({ [FILE]: CALLS, '.hearth/workflows/called.yml': CALLED })
  // The job that calls runs as long as the one that it called, and has no runner.
  await runFor(59 * SECOND)
  expect(await minutes()).toEqual({ used: 2, limit: null })
  for (const { id } of await runs()) await world.call(deleteRun, ada, { ...REPO, id })
  expect(await minutes()).toEqual({ used: 2, limit: null })
})

test('a new month begins with none', async () => {
  const { world, push, runFor, minutes } = await makeMinutesWorld()
  await push()
  await runFor(MINUTE)
  world.clock.advance(32 * 24 * 60 * MINUTE)
  expect(await minutes()).toEqual({ used: 0, limit: null })
})

test('without minutes left no job begins, and those that run go on', async () => {
  const { world, ada, push, run, runs, jobs, take, finish, runFor, minutes, limit } =
    await makeMinutesWorld()
  await limit(2)
  await push()
  const long = await take()
  await push({ [FILE]: ONE_JOB, 'b.txt': 'b' })
  const short = await take()
  world.clock.advance(2 * MINUTE)
  await finish(short)
  expect((await run(short?.run.id ?? '')).conclusion).toBe('success')
  const id = (await runs())[0]?.id ?? ''
  const words =
    'acme has used 2 of its 2 minutes of runs this month. Jobs begin again next month; an administrator of the site can give it more'
  const refused = { code: 'forbidden', reason: 'quota', message: words }
  expect(await refusal(world.call(rerunWorkflowRun, ada, { ...REPO, id }))).toMatchObject(refused)
  const [{ workflow_id = '' } = {}] = await runs()
  const dispatch = () =>
    world.call(dispatchWorkflow, ada, { ...REPO, id: workflow_id ?? '', ref: 'main' })
  expect(await refusal(dispatch())).toMatchObject(refused)
  // A push is taken, and its run says why it failed.
  await push({ 'c.txt': 'c' })
  const [newest] = await runs()
  expect(newest).toMatchObject({ status: 'completed', conclusion: 'failure' })
  expect((await jobs(newest?.id ?? ''))[0]).toMatchObject({ conclusion: 'failure', reason: words })
  expect(await take()).toBeNull()
  await finish(long)
  expect((await run(long?.run.id ?? '')).conclusion).toBe('success')
  expect(await minutes()).toEqual({ used: 4, limit: 2 })
  await limit(10)
  await dispatch()
  await world.jobs()
  await runFor(MINUTE)
  expect(await minutes()).toEqual({ used: 5, limit: 10 })
})
