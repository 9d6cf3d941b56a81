import { describe, expect, test } from 'bun:test'
import { approveRun } from '#features/workflows/runs/approve-run.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import type { Caller } from '#core/caller.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { cancelRun } from '#features/workflows/runs/cancel-run.ts'
import { getJob } from '#features/workflows/jobs/get-job.ts'
import { dispatchWorkflow } from '#features/workflows/files/dispatch-workflow.ts'
import { setVariable } from '#features/variables/set-variable.ts'
import { createBranch } from '#features/repos/index.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

const WITH_RIGHTS = ONE_JOB.replace(
  'jobs:',
  'permissions: { contents: write, issues: write, actions: write }\njobs:',
)

async function makeTokenWorld(file = ONE_JOB) {
  const made = await makeRunsWorld()
  await made.push({ [FILE]: file })
  const job = await made.take()
  if (!job) throw new Error('there is no job')
  const caller = (token = job.token): Caller | null => made.hearth.callers.byToken(token)
  return { ...made, job, caller, token: caller() as Caller }
}

const refusal = (reason: string) => expect.objectContaining({ reason })

describe('the token of a job', () => {
  test('acts for the person of the run, in its repository alone, and reads by default', async () => {
    const { token, world, ada } = await makeTokenWorld()
    expect(token).toMatchObject({
      kind: 'agent',
      username: 'ada/workflows',
      owner_username: 'ada',
      token: { role: 'read' },
    })
    const input = { ...REPO, title: 'From a job' }
    await expect(world.call(createIssue, token, input)).rejects.toEqual(refusal('scope'))
    await world.repo('acme/other', { as: ada, private: true })
    await expect(world.call(createIssue, token, { ...input, repo: 'acme/other' })).rejects.toEqual(
      refusal('agent_outside_repository'),
    )
  })

  test('has what the file gives it, and no secrets, rules or people', async () => {
    const { token, world, jobs, runs } = await makeTokenWorld(WITH_RIGHTS)
    const issue = await world.call(createIssue, token, { ...REPO, title: 'From a job' })
    expect(issue.author).toMatchObject({ username: 'ada/workflows' })
    await expect(
      world.call(setVariable, token, { ...REPO, setting: 'X', value: 'y' }),
    ).rejects.toEqual(refusal('scope'))
    const [job] = await jobs((await runs())[0]?.id ?? '')
    expect(job?.permissions).toEqual(['actions: write', 'contents: write', 'issues: write'])
  })

  test('sets statuses of the commit of its run with statuses: write, and writes no code', async () => {
    const file = ONE_JOB.replace('jobs:', 'permissions: { statuses: write }\njobs:')
    const { token, world, ada, hearth, runs } = await makeTokenWorld(file)
    const [run] = await runs()
    const set = (sha: string, as: Caller = token) =>
      world.call(setCommitStatus, as, { ...REPO, sha, state: 'success', context: 'lint' })
    expect(await set(run?.sha ?? '')).toMatchObject({ state: 'success', context: 'lint' })
    const other = await world.commit(REPO.repo, 'main', { 'b.txt': 'b' }, { as: ada })
    await expect(set(other)).rejects.toEqual(refusal('scope'))
    const branch = { ...REPO, branch: 'mine', from: 'main' }
    await expect(world.call(createBranch, token, branch)).rejects.toEqual(refusal('scope'))
    expect(hearth.facts.repo(REPO.repo, token)?.role).toBe('write')
    const plain = await makeTokenWorld()
    const [own] = await plain.runs()
    await expect(
      plain.world.call(setCommitStatus, plain.token, {
        ...REPO,
        sha: own?.sha ?? '',
        state: 'success',
        context: 'lint',
      }),
    ).rejects.toEqual(refusal('scope'))
  })

  test('never exceeds the role of the person behind it, and ends with their account', async () => {
    const { token, caller, hearth, ada } = await makeTokenWorld(WITH_RIGHTS)
    expect(hearth.facts.repo(REPO.repo, token)?.role).toBe('write')
    hearth.database.run(`UPDATE users SET suspended_at = 'now' WHERE id = ?`, ada.id)
    expect(caller()).toBeNull()
  })

  test('ends with its job, and with a cancel', async () => {
    const { job, caller, finish, push, take, hearth, world, ada, runs } = await makeTokenWorld()
    expect(caller()).not.toBeNull()
    await finish(job)
    expect(caller()).toBeNull()
    await push({ 'a.txt': 'a' })
    const next = await take()
    expect(caller(next?.token)).not.toBeNull()
    await world.call(cancelRun, ada, { ...REPO, id: (await runs())[0]?.id ?? '' })
    world.clock.advance(11_000)
    await world.jobs()
    expect(caller(next?.token)).toBeNull()
    expect(hearth.db.all('SELECT * FROM workflow_tokens')).toEqual([])
  })

  test('is in no table, and the audit log is not filled with tokens of jobs', async () => {
    const { job, hearth } = await makeTokenWorld()
    const tables = hearth.db.all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    const holding = tables.filter(({ name }) =>
      JSON.stringify(hearth.db.all(`SELECT * FROM ${name}`)).includes(job.token),
    )
    expect(job.token).toMatch(/^htha_/)
    expect(holding).toEqual([])
    expect(
      hearth.db.all(
        `SELECT 1 FROM audit_log WHERE action = 'token.created' AND data LIKE '%workflow%'`,
      ),
    ).toEqual([])
  })

  test('starts no run by what it changes, but may start a workflow by name', async () => {
    const { token, world, runs, ada } = await makeTokenWorld(WITH_RIGHTS)
    const before = (await runs()).length
    await world.commit(REPO.repo, 'main', { 'b.txt': 'b' }, { as: token as never })
    await world.jobs()
    expect(await runs()).toHaveLength(before)
    const [run] = await runs()
    await world.call(dispatchWorkflow, token as never, {
      ...REPO,
      id: run?.workflow_id ?? '',
      ref: 'main',
    })
    expect(await runs()).toHaveLength(before + 1)
    await world.commit(REPO.repo, 'main', { 'c.txt': 'c' }, { as: ada })
    await world.jobs()
    expect(await runs()).toHaveLength(before + 2)
  })

  test('of a change by somebody without Write reads, whatever the file says', async () => {
    const { world, ada, eve, jobs, take, finish, job, caller, runs } =
      await makeTokenWorld(WITH_RIGHTS)
    await finish(job)
    const { pull } = await world.call(createPull, eve, { ...REPO, title: 'From outside' })
    const fork = `acme/site/pull/${pull.number}`
    await world.commit(fork, pull.branch ?? 'main', { 'a.txt': 'a' }, { as: eve })
    await world.jobs()
    const run = (await runs()).find(({ event }) => event === 'pull_request')
    await world.call(approveRun, ada, { ...REPO, id: run?.id ?? '' })
    await world.jobs()
    const next = await take()
    expect(caller(next?.token)).toMatchObject({ token: { role: 'read' } })
    expect((await jobs(run?.id ?? ''))[0]?.permissions).toEqual([
      'actions: read',
      'contents: read',
      'issues: read',
    ])
  })
})

test('the page of a job reads what its token may do', async () => {
  const { world, ada, job } = await makeTokenWorld()
  const shown = await world.call(getJob, ada, { ...REPO, id: job.id })
  expect(shown.permissions).toContain('contents: read')
  expect(shown.permissions).not.toContain('id-token: read')
})
