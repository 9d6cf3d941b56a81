import { expect, spyOn, test } from 'bun:test'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { insertJob } from '#core/jobs.ts'
import { runnerOf } from '#features/checks/runner.ts'
import { sweepJobLogs } from '#features/runners/job-logs.ts'
import { networkOfJob } from '#features/runners/job-network.ts'
import { takeJob } from '#features/runners/take-job.ts'
import { DAY } from '#lib/time.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '../../runner/runners.ts'
import { testJobs } from '../../settings.ts'
import { makeWorld } from '../../world.ts'

const REPO = { repo: 'acme/site' } as const

const FILE = `name: CI
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    outputs: { made: '\${{ steps.make.outputs.x }}' }
    steps:
      - uses: actions/checkout@v4
      - id: make
        run: cat README.md; echo "key $KEY $TOKEN \${{ secrets.GITHUB_TOKEN }}"; echo "x=1" >>"$GITHUB_OUTPUT"
        env: { KEY: '\${{ secrets.KEY }}', TOKEN: '\${{ github.token }}' }
  after:
    needs: build
    runs-on: ubuntu-24.04
    steps: [{ run: 'echo "made \${{ needs.build.outputs.made }}"; exit 2' }]
`

async function makeJobsWorld() {
  const world = await makeWorld({ jobs: { ...testJobs, local: true } })
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo(REPO.repo, { as: ada })
  return {
    world,
    ada,
    runs: async () => (await world.call(listRuns, ada, REPO)).items,
    jobs: async (id: string) => (await world.call(listJobs, ada, { ...REPO, id })).items,
    log: async (id: string) => {
      const { lines } = await world.call(getJobLog, ada, { ...REPO, id })
      return lines.map(({ text }) => text).join('\n')
    },
  }
}

test('a push runs its workflow here, from the files to the result and the log', async () => {
  const { world, ada, runs, jobs, log } = await makeJobsWorld()
  await world.call(setSecret, ada, { ...REPO, setting: 'KEY', value: 'top-secret-key' })
  await world.commit(
    REPO.repo,
    'main',
    { 'README.md': 'hello from git\n', '.hearth/workflows/ci.yml': FILE },
    { as: ada },
  )
  await world.jobs()
  const [run] = await runs()
  expect(run).toMatchObject({ status: 'completed', conclusion: 'failure' })
  const [build, after] = await jobs(run?.id ?? '')
  expect(build).toMatchObject({ name: 'build', conclusion: 'success' })
  expect(build?.steps.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['Run actions/checkout@v4', 'success'],
    [expect.stringContaining('Run cat README.md'), 'success'],
  ])
  const text = await log(build?.id ?? '')
  expect(text).toContain('\nhello from git\nkey *** *** ***')
  expect(text).not.toContain('top-secret-key')
  expect(after).toMatchObject({ conclusion: 'failure' })
  expect(await log(after?.id ?? '')).toContain(
    '\nmade 1\n##[error]Process completed with exit code 2.',
  )
  const folders = join(world.hearth.settings.data, 'logs', 'jobs')
  const files = readdirSync(folders).flatMap((name) => readdirSync(join(folders, name)))
  expect(files.toSorted()).toEqual([`${build?.id}.zst`, `${after?.id}.zst`].toSorted())
  const places = join(world.hearth.settings.data, 'tmp', 'checks')
  // One sandbox may wait for the next job.
  const left = (existsSync(places) ? readdirSync(places) : []).join()
  expect(left).toMatch(/^(?:waiting-\d+)?$/)
})

test('a label that nothing here has leaves the job waiting', async () => {
  const { world, ada, runs, jobs } = await makeJobsWorld()
  const file = FILE.replaceAll('ubuntu-latest', 'macos-latest')
  await world.commit(REPO.repo, 'main', { '.hearth/workflows/ci.yml': file }, { as: ada })
  await world.jobs()
  const [run] = await runs()
  const [build] = await jobs(run?.id ?? '')
  expect(build).toMatchObject({ status: 'queued', conclusion: null })
})

test('a stop of the process ends the processes of a job, and leaves it to the next process', async () => {
  const { world, ada, runs, jobs } = await makeJobsWorld()
  // Another run of the tests on this machine has other durations, by which processes are found.
  const [first, second] = [`sleep 4841.${process.pid}`, `sleep 4842.${process.pid}`]
  const file = `on: push
jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: ${first} }, { if: always(), run: ${second} }] } }
`
  await world.commit(REPO.repo, 'main', { '.hearth/workflows/ci.yml': file }, { as: ada })
  const idle = world.jobs()
  while (!isAlive(first)) await Bun.sleep(50)
  await world.hearth.jobs.stop()
  await idle
  expect([isAlive(first), isAlive(second)]).toEqual([false, false])
  const [run] = await runs()
  const [build] = await jobs(run?.id ?? '')
  expect(build).toMatchObject({ status: 'in_progress', conclusion: null })
})

test('a log is deleted after the days of the setting, and reading it says so', async () => {
  const { world, ada, runs, jobs, log } = await makeJobsWorld()
  const files = { 'README.md': 'hello\n', '.hearth/workflows/ci.yml': FILE }
  await world.commit(REPO.repo, 'main', files, { as: ada })
  await world.jobs()
  const [run] = await runs()
  const [build] = await jobs(run?.id ?? '')
  expect(await log(build?.id ?? '')).toContain('hello')
  const sweep = async () => {
    await world.write((tx) => void insertJob(tx.db, sweepJobLogs, null, tx.now_ms))
    await world.jobs()
  }
  await sweep()
  expect(await log(build?.id ?? '')).toContain('hello')
  world.clock.advance(Date.now() - world.clock.now() + 91 * DAY)
  await sweep()
  await expect(log(build?.id ?? '')).rejects.toThrow('deleted')
})

test('a job says why this machine does not run it, and begins on the day that it can', async () => {
  const { world, ada, runs, jobs } = await makeJobsWorld()
  const runner = runnerOf(world.hearth)
  const isolation = spyOn(runner, 'isolation').mockResolvedValue({
    kind: 'missing',
    reason: 'bubblewrap is not installed; install the package bubblewrap and restart',
  })
  await world.commit(REPO.repo, 'main', { '.hearth/workflows/ci.yml': FILE }, { as: ada })
  await world.jobs()
  const [run] = await runs()
  expect(run).toMatchObject({ status: 'waiting', waiting_for: 'runner' })
  expect(run?.reason).toContain('install the package bubblewrap')
  expect((await jobs(run?.id ?? ''))[0]).toMatchObject({
    status: 'queued',
    waiting_for: 'runner',
    reason: expect.stringContaining('This machine cannot isolate jobs'),
  })
  isolation.mockRestore()
  await world.write((tx) => tx.enqueue(takeJob, null, { key: 'again' }))
  await world.jobs()
  expect(await runs()).toMatchObject([{ status: 'completed', waiting_for: null, reason: null }])
})

test('changes by people without Write never have the network of the machine', async () => {
  const networkWith = async (
    network: 'internet' | 'machine' | 'none',
    isTrusted: boolean,
    fault: string | null = null,
  ) => {
    const world = await makeWorld({ jobs: { ...testJobs, local: true, network } })
    spyOn(runnerOf(world.hearth), 'internetFault').mockResolvedValue(fault)
    return networkOfJob(world.hearth, { isTrusted })
  }
  expect((await networkWith('machine', true)).network).toBe('machine')
  expect((await networkWith('machine', false)).network).toBe('internet')
  expect(await networkWith('none', true)).toEqual({ network: 'none', notice: null })
  expect(await networkWith('internet', true, 'slirp4netns cannot be found')).toEqual({
    network: 'none',
    notice: 'This job has no network: slirp4netns cannot be found',
  })
  expect((await networkWith('machine', false, 'it is missing')).network).toBe('none')
})
