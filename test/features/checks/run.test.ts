import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { convertPullToDraft } from '#features/pulls/lifecycle/convert-pull-to-draft.ts'
import { markPullReady } from '#features/pulls/lifecycle/mark-pull-ready.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { refusal } from '../../world.ts'
import { makeCheckWorld, REPO } from './fixture.ts'

test('runs the commands of the issue when a pull request is ready, in their order, and says what came of each', async () => {
  const { world, mel, checked, draft, withChecks, checks, pull } = await makeCheckWorld()
  const untouched = await draft(mel, { 'b.txt': 'x\n' }, { issue: await withChecks(['true']) })
  const number = await checked(mel, [
    'echo one >made; cat b.txt',
    'cat made && echo two >&2',
    'echo broken; exit 3',
    'echo after',
  ])
  expect(await checks(untouched)).toMatchObject({ status: 'none', results: [] })
  const before = await checks(number)
  expect(before).toMatchObject({
    sha: pull(number).head_sha,
    status: 'pending',
    merge_sha: null,
    started_at: null,
    finished_at: null,
    message: null,
  })
  expect(before.results.map(({ status }) => status)).toEqual([
    'queued',
    'queued',
    'queued',
    'queued',
  ])
  expect(before.results[0]).toMatchObject({
    log_url: null,
    exit_code: null,
    duration_ms: null,
    output_tail: '',
  })

  await world.jobs()
  const after = await checks(number)
  expect(after).toMatchObject({
    status: 'failed',
    merge_sha: pull(number).head_sha,
    started_at: expect.any(String),
    finished_at: expect.any(String),
  })
  expect(
    after.results.map(({ status, exit_code, output_tail }) => [status, exit_code, output_tail]),
  ).toEqual([
    ['passed', 0, 'changed\n'],
    ['passed', 0, 'one\ntwo\n'],
    ['failed', 3, 'broken\n'],
    ['passed', 0, 'after\n'],
  ])
  expect(after.results[0]).toMatchObject({
    id: expect.stringMatching(/^chk_/),
    duration_ms: expect.any(Number),
    log_url: expect.stringContaining(`/${REPO}/pull/${number}/checks/chk_`),
  })
  expect(await checks(untouched)).toMatchObject({ status: 'none' })

  const events = world.events('checks.completed')
  expect(events.map(({ data, actor_id }) => ({ data, actor_id }))).toEqual([
    {
      data: { number, issue: pull(number).issue, sha: pull(number).head_sha, status: 'failed' },
      actor_id: null,
    },
  ])
  const session = (await world.call(getSession, mel, { repo: REPO, number, kind: 'check' })).items
  expect(
    session.map(({ text, data, author }) => [
      data?.command,
      data?.status,
      text.split(' after ')[0],
      author,
    ]),
  ).toEqual([
    ['echo one >made; cat b.txt', 'passed', 'Passed', null],
    ['cat made && echo two >&2', 'passed', 'Passed', null],
    ['echo broken; exit 3', 'failed', 'Failed with exit code 3', null],
    ['echo after', 'passed', 'Passed', null],
  ])
  expect(session[2]?.text).toEndWith('```\nbroken\n```')
})

test('what is tested is the head merged with the base, without a repository around it', async () => {
  const { world, ada, mel, withChecks, draft, ref, pull, checks, hearth, row } =
    await makeCheckWorld()
  const number = await draft(
    mel,
    { 'b.txt': 'changed\n' },
    { issue: await withChecks(['cat b.txt new.txt; ls -a | tr "\\n" " "; test ! -e .git']) },
  )
  await world.commit(REPO, 'main', { 'new.txt': 'from main\n' }, { as: ada })
  await world.call(markPullReady, mel, { repo: REPO, number, summary: 'Done.' })
  await world.jobs()
  const { status, merge_sha, results } = await checks(number)
  expect(status).toBe('passed')
  expect(results[0]?.output_tail).toBe('changed\nfrom main\n. .. a.txt b.txt docs new.txt ')
  const tested = await hearth.git.readCommit(row().store, merge_sha ?? '')
  expect([...(tested?.parents ?? [])].sort()).toEqual(
    [pull(number).head_sha ?? '', ref('main') ?? ''].sort(),
  )
})

test('checks stand against merging until they have passed, and the list and the refusal say the same', async () => {
  const { world, ada, mel, checked, fork } = await makeCheckWorld()
  const number = await checked(mel, ['grep -q good b.txt'])
  const blockers = async () =>
    (await world.call(getPull, ada, { repo: REPO, number })).blockers.map(({ code }) => code)
  expect(await blockers()).toEqual(['checks_pending'])
  expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'checks_pending',
  })
  await world.jobs()
  expect(await blockers()).toEqual(['checks_failed'])
  expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'checks_failed',
  })
  await world.commit(fork(number), 'main', { 'b.txt': 'good\n' }, { as: mel })
  expect(await blockers()).toEqual(['checks_pending'])
  expect(
    (await world.call(listPulls, ada, { repo: REPO })).items.map((one) => one.checks_status),
  ).toEqual(['pending'])
  await world.jobs()
  const detail = await world.call(getPull, ada, { repo: REPO, number })
  expect(detail).toMatchObject({
    checks_status: 'passed',
    blockers: [],
    checks: { status: 'passed' },
  })
  expect(await world.call(mergePull, ada, { repo: REPO, number })).toMatchObject({
    status: 'merged',
    checks_status: 'passed',
  })
})

test('begins for a pull request that is open from the start, and again for another base or other commands', async () => {
  const { world, ada, withChecks, checks, push, ref } = await makeCheckWorld()
  const issue = await withChecks(['echo first'])
  await push(REPO, 'feature', ref('main'), ada)
  await world.commit(REPO, 'feature', { 'b.txt': 'from a branch\n' })
  const { pull } = await world.call(createPull, ada, { repo: REPO, issue, branch: 'feature' })
  expect(pull.checks_status).toBe('pending')
  await world.jobs()
  expect(await checks(pull.number)).toMatchObject({
    status: 'passed',
    results: [{ command: 'echo first' }],
  })
  await world.call(updateIssue, ada, {
    repo: REPO,
    number: issue,
    checks: ['echo second', 'false'],
  })
  expect(await checks(pull.number)).toMatchObject({
    status: 'pending',
    results: [{ command: 'echo second' }, { command: 'false' }],
  })
  await world.jobs()
  expect(await checks(pull.number)).toMatchObject({ status: 'failed' })
  await world.call(updateIssue, ada, { repo: REPO, number: issue, checks: [] })
  expect(await checks(pull.number)).toMatchObject({ status: 'none', results: [] })
})

test('a draft runs nothing, and what is closed needs nothing any more', async () => {
  const { world, mel, checked, checks, fork, hearth } = await makeCheckWorld()
  const number = await checked(mel, ['true'])
  await world.jobs()
  await world.call(convertPullToDraft, mel, { repo: REPO, number })
  await world.commit(fork(number), 'main', { 'b.txt': 'more\n' }, { as: mel })
  await world.jobs()
  expect(await checks(number)).toMatchObject({ status: 'none', results: [] })
  await world.call(markPullReady, mel, { repo: REPO, number, summary: 'Again.' })
  await world.call(closePull, mel, { repo: REPO, number })
  await world.jobs()
  expect(await checks(number)).toMatchObject({ status: 'none' })
  expect(world.events('checks.completed')).toHaveLength(1)
  expect(
    hearth.db
      .all<{ status: string }>('SELECT status FROM check_results ORDER BY id')
      .map(({ status }) => status),
  ).toEqual(['passed', 'skipped'])
})

test('commits that conflict with their base are not tested, and that is said', async () => {
  const { world, ada, mel, withChecks, draft, checks } = await makeCheckWorld()
  const number = await draft(
    mel,
    { 'b.txt': 'mine\n' },
    { issue: await withChecks(['true', 'echo second']) },
  )
  await world.commit(REPO, 'main', { 'b.txt': 'theirs\n' }, { as: ada })
  await world.call(markPullReady, mel, { repo: REPO, number, summary: 'Done.' })
  await world.jobs()
  expect(await checks(number)).toMatchObject({
    status: 'errored',
    merge_sha: null,
    message: 'there is nothing to test: it conflicts with its base in b.txt',
    results: [
      { status: 'errored', exit_code: null },
      { status: 'skipped', output_tail: '' },
    ],
  })
  expect(
    (await world.call(getPull, ada, { repo: REPO, number })).blockers.map(({ code }) => code),
  ).toEqual(['conflicts', 'checks_failed'])
})

test('output is masked before anything is kept of it', async () => {
  const { world, mel, checked, checks } = await makeCheckWorld()
  const number = await checked(mel, [
    `echo "token ghp_$(printf 'a1B2%.0s' 1 2 3 4 5 6 7 8 9)"; false`,
  ])
  await world.jobs()
  const { results } = await checks(number)
  expect(results[0]?.output_tail).toBe('token [redacted:github-token]\n')
  expect(
    world.hearth.db.one<{ text: string }>(`SELECT text FROM session_entries WHERE kind = 'check'`)
      ?.text,
  ).toContain('token [redacted:github-token]')
  expect(
    JSON.stringify((await world.call(getSession, mel, { repo: REPO, number })).items),
  ).not.toContain('a1B2a1B2')
})

test('what takes longer than the repository allows has failed', async () => {
  const { world, mel, checked, checks, hearth } = await makeCheckWorld({ check_timeout_minutes: 1 })
  const number = await checked(mel, ['echo begun; sleep 4931', 'echo next'])
  // A minute is too long to wait for here.
  await world.write((tx) => void tx.db.run('UPDATE check_runs SET timeout_ms = 700'))
  await world.jobs()
  const { status, results } = await checks(number)
  expect(status).toBe('failed')
  expect(results[0]).toMatchObject({
    status: 'failed',
    exit_code: null,
    output_tail: expect.stringMatching(/^begun\n\[stopped after .* minutes\]\n$/),
  })
  expect(results[1]).toMatchObject({ status: 'passed' })
  expect(
    hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM jobs WHERE kind = ?', 'run_checks')?.n,
  ).toBe(0)
})
