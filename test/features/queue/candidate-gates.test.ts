import { expect, test } from 'bun:test'
import { finishJob, takeQueuedJob, workflowRunners } from '#features/workflows/index.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { extend, RUNNER } from '../workflows/fixture.ts'
import { makeQueueWorld, REPO } from './fixture.ts'

const FILE = `name: Gate
on: merge_group
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{ run: make }]
`

async function makeGatedWorld() {
  const made = await makeQueueWorld()
  const { world, hearth, ada } = made
  extend(hearth, [workflowRunners.with({ name: 'local', accepts: () => true })])
  await world.commit(REPO, 'main', { '.hearth/workflows/gate.yml': FILE }, { as: ada })
  await world.jobs()
  return {
    ...made,
    take: () => takeQueuedJob(hearth, RUNNER),
    end: async (id: string, conclusion: 'success' | 'failure') => {
      await finishJob(hearth, id, { conclusion, reason: null, outputs: {} })
      await world.jobs()
    },
    runs: async () => (await world.call(listRuns, ada, { repo: REPO })).items,
  }
}

test('the queue waits for runs of merge_group on the commit that would land', async () => {
  const { world, hearth, mel, ready, merge, entry, states, ref, take, end, runs } =
    await makeGatedWorld()
  const number = await ready(mel, { 'a.txt': 'a' })
  await world.jobs()
  const before = ref('main')
  await merge(number)
  await world.jobs()
  expect(await states()).toEqual([`${number} testing 1`])
  const job = await take()
  const [run] = await runs()
  expect(run).toMatchObject({ event: 'merge_queue', trusted: true, sha: job?.run.sha })
  expect(job?.contexts.github).toMatchObject({
    event_name: 'merge_group',
    event: {
      action: 'checks_requested',
      merge_group: { head_sha: job?.run.sha, base_sha: before, base_ref: 'refs/heads/main' },
    },
  })
  expect(ref('main')).toBe(before)
  await end(job?.id ?? '', 'success')
  expect((await entry(number)).state).toBe('landed')
  expect(ref('main')).toBe(job?.run.sha ?? '')
  expect(hearth.db.all('SELECT * FROM workflow_candidates')).toEqual([])
})

test('a failed run removes the entry and says which workflow failed', async () => {
  const { world, mel, ready, merge, told, ref, take, end } = await makeGatedWorld()
  const number = await ready(mel, { 'a.txt': 'a' })
  await world.jobs()
  const before = ref('main')
  await merge(number)
  await world.jobs()
  await end((await take())?.id ?? '', 'failure')
  expect(told(number).at(-1)).toBe('failed checks_failed')
  expect(ref('main')).toBe(before)
})

test('commands and runs must both pass', async () => {
  const { world, checked, answers, merge, states, entry, finish, take, end } =
    await makeGatedWorld()
  const number = await checked({ 'a.txt': 'a' })
  answers(() => null)
  await merge(number)
  await world.jobs()
  await end((await take())?.id ?? '', 'success')
  expect(await states()).toEqual([`${number} testing 1`])
  await finish(number, 'passed')
  expect((await entry(number)).state).toBe('landed')
})
