import { expect, test } from 'bun:test'
import { cancelRun } from '#features/checks/end-run.ts'
import { checksOfRun } from '#features/checks/check-record.ts'
import { runnerOf } from '#features/checks/runner.ts'
import { startChecks } from '#features/checks/start-run.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { markPurged } from '#features/repos/lifecycle/purge-job.ts'
import { requireRepo } from '#features/repos/index.ts'
import { getCheckLog } from '#features/checks/get-check-log.ts'
import { DAY } from '#lib/time.ts'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { silentLog } from '#lib/log.ts'
import { makeCheckWorld, REPO, until } from './fixture.ts'

const running = async (
  checks: (number: number) => Promise<{ results: { output_tail: string }[] }>,
  number: number,
  word: string,
) =>
  until(async () =>
    (await checks(number)).results.some(({ output_tail }) => output_tail.includes(word)),
  )

test('a newer head ends what is under way for the older one', async () => {
  const { world, mel, checked, checks, fork, pull, hearth } = await makeCheckWorld()
  const number = await checked(mel, [
    'grep changed b.txt && { echo working; sleep 4951; }; cat b.txt',
  ])
  const jobs = world.jobs()
  await running(checks, number, 'working')
  await world.commit(fork(number), 'main', { 'b.txt': 'newer\n' }, { as: mel })
  expect(await checks(number)).toMatchObject({ sha: pull(number).head_sha, status: 'pending' })
  await jobs
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'passed',
    results: [{ output_tail: 'newer\n' }],
  })
  expect(world.events('checks.completed').map(({ data }) => data.sha)).toEqual([
    pull(number).head_sha,
  ])
  expect(
    hearth.db
      .all<{ state: string }>('SELECT state FROM check_runs ORDER BY id')
      .map(({ state }) => state),
  ).toEqual(['replaced', 'done'])
  expect(readdirSync(join(hearth.settings.data, 'tmp', 'checks'))).toEqual([])
})

test('what was running when the process ended is run again from its start, and nothing has passed that has not run', async () => {
  const { world, mel, checked, checks, hearth } = await makeCheckWorld()
  const number = await checked(mel, [
    'echo first',
    'echo working; test -e /tmp/go || sleep 4952',
    'echo last',
  ])
  const jobs = world.jobs().catch(() => {})
  await running(checks, number, 'working')
  expect((await checks(number)).results.map(({ status }) => status)).toEqual([
    'passed',
    'running',
    'queued',
  ])
  // Commands end with the process; rows say what they said.
  await hearth.jobs.stop()
  await jobs
  const rows = hearth.db
    .all<{ status: string }>('SELECT status FROM check_results ORDER BY position')
    .map(({ status }) => status)
  expect(rows).toEqual(['passed', 'running', 'queued'])
  expect(readdirSync(join(hearth.settings.data, 'tmp', 'checks'))).toEqual([])

  const again = openHearth({
    settings: hearth.settings,
    log: silentLog,
    clock: world.clock,
    databasePath: join(world.data, 'hearth.db'),
    git: hearth.git,
  })
  await world.write(
    (tx) => void tx.db.run(`UPDATE check_results SET command = replace(command, '4952', '0')`),
  )
  await again.jobs.start()
  await until(
    () => again.db.one<{ state: string }>('SELECT state FROM check_runs')?.state === 'done',
  )
  await again.jobs.stop()
  expect(await checks(number)).toMatchObject({ status: 'passed' })
  expect((await checks(number)).results.map(({ output_tail }) => output_tail)).toEqual([
    'first\n',
    'working\n',
    'last\n',
  ])
  expect(again.db.all(`SELECT 1 FROM events WHERE type = 'checks.completed'`)).toHaveLength(1)
  again.database.close()
})

test('the start of a server sweeps folders that an ended process left', async () => {
  const { hearth } = await makeCheckWorld()
  const place = await runnerOf(hearth).createDirectory('left-behind')
  expect(existsSync(place.build)).toBe(true)
  await runnerOf(hearth).sweep()
  expect(existsSync(place.folder)).toBe(false)
})

test('any commit can be tested for a purpose of its own, without counting for the pull request', async () => {
  const { world, ada, mel, ready, ref, row, checks, hearth } = await makeCheckWorld()
  const number = await ready(mel)
  const given = {
    repo_id: row().id,
    number,
    issue: null,
    commands: ['cat b.txt', 'test -e a.txt'],
    head_sha: ref('main', `${REPO}/pull/${number}`) ?? '',
    base_sha: null,
    merge_sha: ref('main') ?? '',
    purpose: 'queue',
    timeout_minutes: 1,
    principal_id: ada.id,
  } as const
  const run = await world.write((tx) => startChecks(tx, given) ?? '')
  expect(checksOfRun(hearth, run)).toMatchObject({ status: 'pending' })
  await world.jobs()
  expect(checksOfRun(hearth, run)).toMatchObject({
    status: 'passed',
    merge_sha: ref('main'),
    results: [{ output_tail: 'b\n' }, { status: 'passed' }],
  })
  expect(await checks(number)).toMatchObject({ status: 'none' })
  expect(world.events('checks.completed')).toEqual([])

  const cancelled = await world.write((tx) => startChecks(tx, given) ?? '')
  await world.write((tx) => cancelRun(tx, cancelled, 'it left the queue'))
  await world.jobs()
  expect(checksOfRun(hearth, cancelled)).toMatchObject({
    status: 'errored',
    message: 'it left the queue',
    results: [{ status: 'errored' }, { status: 'skipped' }],
  })
  expect(
    await world.write((tx) => startChecks(tx, { ...given, commands: [] }) ?? 'nothing to run'),
  ).toBe('nothing to run')
})

test('logs are kept for their time, and go with their repository', async () => {
  const { world, ada, mel, checked, checks, hearth, row } = await makeCheckWorld()
  const repo_id = row().id
  const number = await checked(mel, ['echo kept'])
  await world.jobs()
  const [result] = (await checks(number)).results
  const folder = join(hearth.settings.data, 'logs', 'checks', repo_id)
  expect(existsSync(folder)).toBe(true)
  world.clock.advance(91 * DAY)
  await hearth.jobs.start()
  await until(async () => (await checks(number)).results[0]?.log_url === null)
  expect(await checks(number)).toMatchObject({
    status: 'passed',
    results: [{ output_tail: 'kept\n', log_url: null }],
  })
  await expect(
    world.call(getCheckLog, mel, { repo: REPO, number, check: result?.id ?? '' }),
  ).rejects.toThrow('the output')

  const other = await checked(mel, ['echo other'])
  await until(async () => (await checks(other)).status === 'passed')
  await world.call(deleteRepo, ada, { repo: REPO, confirm: REPO })
  await world.write((tx) => markPurged(tx, requireRepo(tx.db, repo_id)))
  await until(() => !existsSync(folder) && hearth.db.all('SELECT 1 FROM check_runs').length === 0)
})
