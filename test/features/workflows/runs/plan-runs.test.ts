import { describe, expect, test } from 'bun:test'
import { commitContextsOf } from '#features/repos/index.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { listWorkflows } from '#features/workflows/files/list-workflows.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

describe('a push', () => {
  test('makes a run whose jobs a runner takes, and the commit turns green', async () => {
    const { push, runs, jobs, take, finish, world, hearth, repo } = await makeRunsWorld()
    const sha = await push({ [FILE]: ONE_JOB }, { message: 'Add tests\n\nmore' })
    const [run] = await runs()
    expect(run).toMatchObject({
      name: 'Test',
      title: 'Add tests',
      number: 1,
      attempt: 1,
      event: 'push',
      ref: 'refs/heads/main',
      sha,
      status: 'queued',
      conclusion: null,
      trusted: true,
      actor: { username: 'ada' },
      jobs_count: 1,
    })
    const contexts = () =>
      commitContextsOf(hearth, repo.id, sha).map(({ context, state }) => `${context}: ${state}`)
    expect(contexts()).toEqual(['Test: pending', 'Test / build: pending'])

    const job = await take()
    expect(job).toMatchObject({ name: 'build', isTrusted: true, secrets: {} })
    expect(job?.contexts.github).toMatchObject({
      event_name: 'push',
      ref: 'refs/heads/main',
      sha,
      repository: 'acme/site',
      actor: 'ada',
      run_number: '1',
    })
    expect(await take()).toBeNull()
    expect((await runs())[0]?.status).toBe('in_progress')
    await finish(job)
    expect((await runs())[0]).toMatchObject({ status: 'completed', conclusion: 'success' })
    expect((await jobs(run?.id ?? ''))[0]).toMatchObject({
      conclusion: 'success',
      runner: { name: 'local' },
    })
    expect(contexts()).toEqual(['Test: success', 'Test / build: success'])
    expect(world.events('workflow.completed').map(({ data }) => data)).toEqual([
      {
        workflow: 'Test',
        workflow_id: run?.workflow_id,
        conclusion: 'success',
        run_id: run?.id,
        sha,
        pull: null,
        attempt: 1,
      },
    ] as never)
  })

  test('without workflows makes nothing, and planning an event twice makes one run', async () => {
    const { push, runs, hearth } = await makeRunsWorld()
    await push({ 'a.txt': 'a' })
    expect(await runs()).toEqual([])
    await push()
    const { planRuns } = await import('#features/workflows/runs/plan-runs.ts')
    const [event] = hearth.db.all<{ id: string }>(
      `SELECT id FROM events WHERE type = 'git.push' ORDER BY id DESC LIMIT 1`,
    )
    await planRuns.run(
      { hearth, signal: new AbortController().signal, attempt: 2, id: 'again' },
      { event_id: event?.id ?? '' },
    )
    expect(await runs()).toHaveLength(1)
  })

  test('of a file with errors makes a run that says where, once', async () => {
    const { push, runs, world, ada } = await makeRunsWorld()
    await push({ [FILE]: ONE_JOB.replace('steps:', 'stesp:') })
    const [run] = await runs()
    expect(run).toMatchObject({ status: 'completed', conclusion: 'startup_failure' })
    expect(run?.error).toStartWith(`${FILE}:`)
    expect(run?.error).toContain('stesp')
    await push({ 'other.txt': 'x' })
    expect(await runs()).toHaveLength(1)
    const [workflow] = (await world.call(listWorkflows, ada, REPO)).items
    expect([workflow?.state, (workflow?.errors.length ?? 0) > 0]).toEqual(['invalid', true])
  })

  test('is filtered by branch and path, and by what its message asks', async () => {
    const { push, runs } = await makeRunsWorld()
    const file = ONE_JOB.replace(
      'on: [push, pull_request, workflow_dispatch]',
      'on: { push: { branches: [main], paths: [src/**] } }',
    )
    await push({ [FILE]: file })
    expect(await runs()).toHaveLength(0)
    await push({ 'src/a.ts': '1' })
    expect(await runs()).toHaveLength(1)
    await push({ [FILE]: file, 'src/a.ts': '2' }, { branch: 'other' })
    await push({ 'src/a.ts': '3' }, { message: 'Change [skip ci]' })
    expect(await runs()).toHaveLength(1)
  })
})

describe('jobs', () => {
  const NEEDS = `name: Chain
on: push
jobs:
  first:
    runs-on: ubuntu-latest
    outputs: { word: '\${{ steps.a.outputs.word }}' }
    steps: [{ id: a, run: echo }]
  second:
    needs: first
    strategy: { matrix: { os: [a, b] } }
    runs-on: ubuntu-latest
    steps: [{ run: echo }]
  last:
    needs: second
    runs-on: ubuntu-latest
    steps: [{ run: echo }]
`
  test('wait for those that they need and get their outputs', async () => {
    const { push, take, finish, runs, drain } = await makeRunsWorld()
    await push({ [FILE]: NEEDS })
    const first = await take()
    expect([first?.name, await take()]).toEqual(['first', null])
    await finish(first, { outputs: { word: 'yes' } })
    const second = await take()
    expect(second?.contexts.needs).toEqual({
      first: { result: 'success', outputs: { word: 'yes' } },
    })
    expect(second?.contexts.matrix).toEqual({ os: 'a' })
    await finish(second)
    expect(await drain()).toEqual(['second (b)', 'last'])
    expect((await runs())[0]?.conclusion).toBe('success')
  })

  test('of which one fails leave out those that need it', async () => {
    const { push, drain, runs, jobs } = await makeRunsWorld()
    await push({ [FILE]: NEEDS })
    expect(await drain('failure')).toEqual(['first'])
    const [run] = await runs()
    expect(run?.conclusion).toBe('failure')
    expect((await jobs(run?.id ?? '')).map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['first', 'failure'],
      ['second', 'skipped'],
      ['last', 'skipped'],
    ])
  })

  test('that may fail count as successful for those that need them', async () => {
    const { push, take, finish, runs } = await makeRunsWorld()
    const forgiving = NEEDS.replace('  first:\n', '  first:\n    continue-on-error: true\n')
    await push({ [FILE]: forgiving })
    await finish(await take(), { conclusion: 'failure' })
    const second = await take()
    expect(second?.contexts.needs.first?.result).toBe('success')
    await finish(second)
    await finish(await take())
    await finish(await take())
    expect((await runs())[0]?.conclusion).toBe('success')
  })

  test('for which no runner has the labels wait and say so', async () => {
    const { push, runs, jobs, take } = await makeRunsWorld()
    await push({ [FILE]: ONE_JOB.replace('ubuntu-latest', 'macos-latest') })
    const [run] = await runs()
    expect([run?.status, run?.waiting_for]).toEqual(['waiting', 'runner'])
    expect((await jobs(run?.id ?? ''))[0]?.reason).toContain('macos-latest')
    expect(await take()).toBeNull()
  })

  test('get the secrets that they name, and no row or answer holds the value', async () => {
    const { world, ada, push, take, finish, hearth, runs, jobs } = await makeRunsWorld()
    await world.call(setSecret, ada, { ...REPO, setting: 'TOKEN', value: 'hush hush hush' })
    await world.call(setSecret, ada, { ...REPO, setting: 'OTHER', value: 'other other' })
    await push({ [FILE]: ONE_JOB.replace('run: make', 'run: echo ${{ secrets.TOKEN }}') })
    const job = await take()
    expect(job?.secrets).toEqual({ TOKEN: 'hush hush hush' })
    await finish(job)
    const tables = hearth.db.all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table'`,
    )
    const rows = tables.map(({ name }) => JSON.stringify(hearth.db.all(`SELECT * FROM "${name}"`)))
    const answers = JSON.stringify([await runs(), await jobs((await runs())[0]?.id ?? '')])
    for (const text of [...rows, answers]) expect(text.includes('hush hush')).toBe(false)
  })
})
