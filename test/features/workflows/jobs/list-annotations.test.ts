import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { annotatedPath } from '#features/workflows/jobs/annotated-path.ts'
import { listAnnotations } from '#features/workflows/jobs/list-annotations.ts'
import { rerunFailedJobs } from '#features/workflows/runs/rerun-failed-jobs.ts'
import { refusal } from '../../../world.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

const PLACE = { step: 1, end_line: null, column: null, title: null }
const failure = (file: string, line: number | null, message: string) =>
  ({ ...PLACE, level: 'failure', file, line, message }) as const
const warning = (file: string, line: number, message: string) =>
  ({ ...failure(file, line, message), level: 'warning' }) as const

const TWO_JOBS = `name: Test
on: push
jobs:
  a: { runs-on: ubuntu-latest, steps: [{ run: make }] }
  b: { runs-on: ubuntu-latest, steps: [{ run: make }] }
`

test('lists what jobs say about files of a commit, failures first and each once', async () => {
  const { world, hearth, ada, eve, push, take, finish } = await makeRunsWorld()
  const sha = await push({ [FILE]: TWO_JOBS, 'a.c': 'one\ntwo\n' })
  const list = async () => (await world.call(listAnnotations, eve, { ...REPO, sha })).items
  expect(await list()).toEqual([])
  await finish(await take(), {
    conclusion: 'failure',
    annotations: [
      warning('./a.c', 1, 'unused'),
      failure('/work/site/site/a.c', 2, 'broken'),
      { ...failure('', 1, 'of no file'), file: null },
      failure('/usr/include/stdio.h', 3, 'not ours'),
    ],
  })
  await finish(await take(), { annotations: [warning('a.c', 1, 'unused')] })
  expect(
    (await list()).map(({ level, file, line, job_name }) => [level, file, line, job_name]),
  ).toEqual([
    ['failure', 'a.c', 2, 'a'],
    ['warning', 'a.c', 1, 'a'],
  ])
  // The job that is not run again keeps what it said in the next attempt.
  const [run] = hearth.db.all<{ id: string }>('SELECT id FROM workflow_runs')
  await world.call(rerunFailedJobs, ada, { ...REPO, id: run?.id ?? '' })
  await world.jobs()
  expect((await list()).map(({ message, job_name }) => [message, job_name])).toEqual([
    ['unused', 'b'],
  ])
  const other = await push({ 'other.txt': 'x\n' })
  expect((await world.call(listAnnotations, eve, { ...REPO, sha: other })).items).toEqual([])
  await world.repo('acme/hidden', { as: ada, private: true })
  expect(
    (await refusal(world.call(listAnnotations, eve, { repo: 'acme/hidden', sha }))).status,
  ).toBe(404)
})

test('lines of the merge with the base are those of the head', async () => {
  const { world, ada, push, take, finish, runs } = await makeRunsWorld()
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`)
  const onPull = ONE_JOB.replace('[push, pull_request, workflow_dispatch]', 'pull_request')
  await push({ [FILE]: onPull, 'a.txt': lines.join('') })
  await world.call(createBranch, ada, { ...REPO, branch: 'fix', from: 'main' })
  const sha = await push({ 'a.txt': lines.with(14, 'changed\n').join('') }, { branch: 'fix' })
  await push({ 'a.txt': `new first line\n${lines.join('')}` })
  await world.call(createPull, ada, { ...REPO, branch: 'fix', title: 'Fix' })
  await world.jobs()
  expect((await runs()).map(({ event }) => event)).toEqual(['pull_request'])
  await finish(await take(), {
    annotations: [
      { ...failure('a.txt', 16, 'the changed line'), end_line: 18, column: 3 },
      { ...failure('a.txt', 1, 'a line that the head lacks'), column: 4 },
      failure('a.txt', null, 'the file'),
    ],
  })
  const { items } = await world.call(listAnnotations, ada, { ...REPO, sha })
  expect(
    items.map(({ line, end_line, column, message }) => [line, end_line, column, message]),
  ).toEqual([
    [15, 17, 3, 'the changed line'],
    [null, null, null, 'a line that the head lacks'],
    [null, null, null, 'the file'],
  ])
})

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src//a.ts', 'src/a.ts'],
  ['src\\a.ts', 'src/a.ts'],
  ['/work/site/site/src/site/site/a.ts', 'src/site/site/a.ts'],
  ['D:\\a\\site\\site\\src\\a.ts', 'src/a.ts'],
  ['src/site/site/a.ts', 'src/site/site/a.ts'],
  ['/etc/passwd', null],
  ['../a.ts', null],
  ['/work/site/site/../../x', null],
  ['./', null],
])('%p is %p in the repository', (file, path) => {
  expect(annotatedPath(file, 'site')).toBe(path)
})
