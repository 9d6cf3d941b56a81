import { describe, expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { createRelease } from '#features/releases/create-release.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { contextsOfRuns } from '#features/workflows/commit-results.ts'
import { startScheduledRuns } from '#features/workflows/triggers/schedules.ts'
import { DAY, MINUTE } from '#lib/time.ts'
import { FILE, makeRunsWorld, REPO } from './fixture.ts'

const fileOn = (on: string, name = 'Bot'): string => `name: ${name}
on: ${on}
jobs:
  act:
    runs-on: ubuntu-latest
    steps:
      - run: make \${{ secrets.KEY }}
`

test('a push whose commit claims a time beyond all years starts its runs', async () => {
  const { world, runs, ada } = await makeRunsWorld()
  await world.commit(REPO.repo, 'main', { [FILE]: fileOn('push') }, { as: ada, time: 1e14 })
  await world.jobs()
  expect(await runs()).toHaveLength(1)
})

describe('issues and comments', () => {
  test('start workflows of the default branch, by activity, once each', async () => {
    const { push, runs, take, finish, world, ada, eve, hearth, repo } = await makeRunsWorld()
    await world.call(setSecret, ada, { ...REPO, setting: 'KEY', value: 'hush hush' })
    await push({
      [FILE]: fileOn(
        '{ issues: { types: [labeled, closed] }, issue_comment: { types: [created] } }',
      ),
    })
    const { number } = await world.call(createIssue, eve, { ...REPO, title: 'It `id` breaks' })
    await world.jobs()
    expect(await runs()).toEqual([])
    await world.call(updateIssue, ada, { ...REPO, number, labels: ['bug'], title: 'It breaks' })
    await world.jobs()
    expect((await runs())[0]).toMatchObject({ event: 'issue', trusted: true, pull: null })
    const labeled = await take()
    expect(labeled?.contexts.github).toMatchObject({
      event_name: 'issues',
      ref: 'refs/heads/main',
      event: {
        action: 'labeled',
        label: { name: 'bug' },
        issue: { number, title: 'It breaks', labels: [{ name: 'bug' }], user: { login: 'eve' } },
        sender: { login: 'ada' },
      },
    })
    expect(labeled?.secrets).toEqual({ KEY: 'hush hush' })
    await finish(labeled)
    await world.call(addComment, eve, { ...REPO, number, body: '/deploy $(id)' })
    await world.jobs()
    const said = await take()
    expect(said?.contexts.github.event).toMatchObject({
      action: 'created',
      comment: { body: '/deploy $(id)', user: { login: 'eve' } },
      issue: { number },
    })
    // Somebody without Write gets neither secrets nor a token that writes.
    expect([said?.isTrusted, said?.secrets]).toEqual([false, {}])
    expect(hearth.callers.byToken(said?.token ?? '')).toMatchObject({ token: { role: 'read' } })
    await finish(said)
    await world.call(closeIssue, ada, { ...REPO, number })
    await world.jobs()
    const all = await runs()
    expect(all.map(({ event }) => event)).toEqual(['issue', 'comment', 'issue'])
    const sha = all[0]?.sha ?? ''
    expect(contextsOfRuns(hearth.db, repo.id, [sha]).get(sha)).toBeUndefined()
  })
})

describe('pull requests', () => {
  const OF_BASE = fileOn('pull_request_target', 'Target')
  const REVIEW = fileOn('pull_request_review', 'Review')

  test('of people without Write run pull_request_target from the base alone, with secrets', async () => {
    const { push, runs, take, finish, world, ada, eve, hearth } = await makeRunsWorld()
    await world.call(setSecret, ada, { ...REPO, setting: 'KEY', value: 'hush hush' })
    const base = await push({ [FILE]: OF_BASE, '.hearth/workflows/review.yml': REVIEW })
    const { pull } = await world.call(createPull, eve, { ...REPO, title: 'From outside' })
    const fork = `acme/site/pull/${pull.number}`
    const head = await world.commit(
      fork,
      pull.branch ?? 'main',
      { [FILE]: OF_BASE.replace('make', 'steal'), 'a.txt': 'a' },
      { as: eve },
    )
    await world.jobs()
    const [run] = await runs()
    expect(run).toMatchObject({ event: 'pull_request', status: 'queued', sha: head, trusted: true })
    const job = await take()
    expect(job?.contexts.github).toMatchObject({
      event_name: 'pull_request_target',
      ref: 'refs/heads/main',
      sha: base,
      event: { number: pull.number, pull_request: { head: { sha: head } } },
    })
    expect(JSON.stringify(job?.plan.steps)).not.toContain('steal')
    expect(job?.secrets).toEqual({ KEY: 'hush hush' })
    expect(hearth.callers.byToken(job?.token ?? '')).toMatchObject({ kind: 'workspace' })
    await finish(job)
    await world.call(reviewPull, ada, {
      ...REPO,
      number: pull.number,
      verdict: 'approve',
      body: 'Good',
    })
    await world.jobs()
    const [reviewed] = await runs()
    expect(reviewed).toMatchObject({ name: 'Review', trusted: false, waiting_for: 'approval' })
  })
})

test('releases, deleted branches and ended runs start workflows', async () => {
  const { push, runs, take, finish, world, ada } = await makeRunsWorld()
  await push({
    [FILE]: fileOn('[release, delete]', 'Ship'),
    '.hearth/workflows/after.yml': fileOn(
      '{ workflow_run: { workflows: [Ship, After] } }',
      'After',
    ),
  })
  await world.call(createRelease, ada, { ...REPO, tag_name: 'v1.0', body: 'News' })
  await world.jobs()
  const shipped = await take()
  expect(shipped?.contexts.github).toMatchObject({
    event_name: 'release',
    ref: 'refs/tags/v1.0',
    event: { action: 'published', release: { tag_name: 'v1.0', body: 'News', prerelease: false } },
  })
  await finish(shipped, { conclusion: 'failure' })
  const followed: unknown[] = []
  for (let job = await take(); job !== null; job = await take()) {
    const { event_name, event } = job.contexts.github
    followed.push([event_name, (event as { workflow_run: { name: string } }).workflow_run.name])
    await finish(job)
  }
  // A workflow that follows itself ends after three runs.
  expect(followed).toEqual([
    ['workflow_run', 'Ship'],
    ['workflow_run', 'After'],
    ['workflow_run', 'After'],
  ])
  await world.commit(REPO.repo, 'old', { 'a.txt': 'a' }, { as: ada })
  await world.call(deleteBranch, ada, { ...REPO, branch: 'old' })
  await world.jobs()
  const deleted = await take()
  expect(deleted?.contexts.github).toMatchObject({
    event_name: 'delete',
    ref: 'refs/heads/main',
    event: { ref: 'old', ref_type: 'branch' },
  })
  expect((await runs())[0]).toMatchObject({ event: 'push', title: 'Delete old' })
})

test('a schedule starts its workflow when it is due, and once for times that were missed', async () => {
  const { push, runs, take, finish, world, hearth } = await makeRunsWorld()
  const sweep = async () => {
    const signal = new AbortController().signal
    await startScheduledRuns.run({ hearth, signal, attempt: 1, id: 'sweep' }, null)
    await world.jobs()
  }
  await push({ [FILE]: fileOn("{ schedule: [{ cron: '*/15 * * * *' }, { cron: '0 0 30 2 *' }] }") })
  await sweep()
  expect(await runs()).toEqual([])
  world.clock.advance(16 * MINUTE)
  await sweep()
  await sweep()
  expect(await runs()).toHaveLength(1)
  const job = await take()
  expect(job?.contexts.github).toMatchObject({
    event_name: 'schedule',
    actor: 'acme',
    event: { schedule: '*/15 * * * *' },
  })
  expect(job?.isTrusted).toBe(true)
  await finish(job)
  world.clock.advance(DAY / 2)
  await sweep()
  expect(await runs()).toHaveLength(2)
  await push({ [FILE]: null })
  world.clock.advance(DAY / 4)
  await sweep()
  expect(await runs()).toHaveLength(2)
  expect(hearth.db.all('SELECT * FROM workflow_schedules')).toEqual([])
})
