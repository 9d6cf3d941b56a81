import { expect, test } from 'bun:test'
import { isolationOf } from '#features/checks/runner.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { makeWorld } from '../../world.ts'

const REPO = 'acme/site'

async function open(change: Parameters<typeof makeWorld>[0]) {
  const world = await makeWorld(change)
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo(REPO, { as: ada })
  await world.commit(REPO, 'main', { 'a.txt': 'a\n' })
  await world.call(createBranch, ada, { repo: REPO, branch: 'feature', from: 'main' })
  await world.commit(REPO, 'feature', { 'a.txt': 'b\n' })
  const { number: issue } = await world.call(createIssue, ada, {
    repo: REPO,
    title: 'Checked',
    checks: ['id -u', 'echo second'],
  })
  const { pull } = await world.call(createPull, ada, { repo: REPO, issue, branch: 'feature' })
  await world.jobs()
  return { world, detail: await world.call(getPull, ada, { repo: REPO, number: pull.number }) }
}

const checks = {
  isolation: 'required',
  network: false,
  memory: 512 * 1024 ** 2,
  disk: 256 * 1024 ** 2,
  processes: 128,
  readable: [],
  keep_days: 90,
} as const

test('where commands cannot be isolated they are refused, with the reason', async () => {
  // A folder of programs that would show the database is a wall that does not stand.
  const world = await makeWorld()
  const { detail } = await open({ checks: { ...checks, readable: ['/no/such/folder'] } })
  expect(detail).toMatchObject({
    checks_status: 'errored',
    checks: { message: expect.stringContaining('commands are refused') },
  })
  expect(detail.checks.results.map(({ status }) => status)).toEqual(['errored', 'skipped'])
  expect(detail.checks.results[0]?.output_tail).toContain('/no/such/folder')
  expect(detail.blockers).toMatchObject([
    { code: 'checks_failed', message: expect.stringContaining('refused') },
  ])
  expect(await isolationOf(world.hearth)).toMatchObject({ kind: 'bubblewrap' })
})

test('unless the operator wants them to run with the rights of the server', async () => {
  const { detail } = await open({ checks: { ...checks, isolation: 'none' } })
  expect(detail.checks).toMatchObject({
    status: 'passed',
    results: [{ output_tail: `${process.getuid?.()}\n` }, { output_tail: 'second\n' }],
  })
})
