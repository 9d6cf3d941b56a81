import { describe, expect, test } from 'bun:test'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { convertPullToDraft } from '#features/pulls/lifecycle/convert-pull-to-draft.ts'
import { dismissReview } from '#features/pulls/reviews/dismiss-review.ts'
import { listReviews } from '#features/pulls/reviews/list-reviews.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import { renameBranch } from '#features/repos/branches/rename-branch.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { deleteRuleset } from '#features/rulesets/delete-ruleset.ts'
import { sweepQueues } from '#features/queue/reactions.ts'
import { leaveMergeQueue } from '#features/queue/leave-merge-queue.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal } from '../../world.ts'
import { makeQueueWorld, REPO, text, type QueueWorld } from './fixture.ts'

/** Two entries under test, the second on top of the first. */
async function underTest(made: QueueWorld): Promise<[number, number]> {
  made.answers(() => null)
  const first = await made.checked({ 'b.txt': 'one\n' }, ['true'], made.otto)
  const second = await made.checked({ 'docs/guide.txt': 'two\n' }, ['true'], made.otto)
  // What strangers change is run once somebody looked at it.
  for (const number of [first, second]) {
    await made.world.write(
      (tx) =>
        void tx.db.run(
          `UPDATE check_runs SET state = 'done', status = 'passed', approved_by = ? WHERE number = ?`,
          made.mel.id,
          number,
        ),
    )
  }
  for (const number of [first, second]) await made.merge(number)
  await made.world.jobs()
  return [first, second]
}

const comments = (made: QueueWorld, number: number) =>
  made.hearth.db.all<{ author_id: string; body: string }>(
    'SELECT author_id, body FROM comments WHERE number = ?',
    number,
  )

test('whoever queued it, or write; what is behind is built again and lands', async () => {
  const made = await makeQueueWorld()
  const [first, second] = await underTest(made)
  const leave = (as: typeof made.mel, number: number) =>
    made.world.call(leaveMergeQueue, as, { repo: REPO, number })
  expect(await refusal(leave(made.otto, first))).toMatchObject({ status: 403, reason: 'role' })
  const before = (await made.entry(second)).candidate_sha
  expect(await leave(made.max, first)).toMatchObject({
    state: 'removed',
    reason: 'left',
    position: null,
  })
  expect((await refusal(leave(made.max, first))).status).toBe(404)
  await made.world.jobs()
  expect(await made.states()).toEqual([`${second} testing 1`])
  expect((await made.entry(second)).candidate_sha).not.toBe(before)
  expect(comments(made, first)).toMatchObject([
    { author_id: made.max.id, body: expect.stringContaining('taken out') },
  ])
  await made.finish(second, 'passed')
  expect([made.pull(first).status, made.pull(second).status]).toEqual(['open', 'merged'])
  expect(
    (await made.hearth.git.findEntry(made.row().store, made.ref('main') ?? '', 'b.txt'))?.oid,
  ).toBe(
    (await made.hearth.git.findEntry(made.row().store, made.pull(first).base_sha, 'b.txt'))?.oid,
  )
})

describe('it leaves by itself', () => {
  const cases: [
    string,
    Parameters<typeof makeQueueWorld>[0],
    (made: QueueWorld, number: number) => Promise<unknown>,
    string,
  ][] = [
    [
      'when it is pushed to',
      {},
      (made, number) =>
        made.world.commit(made.fork(number), 'main', { 'b.txt': 'more\n' }, { as: made.otto }),
      'head_moved',
    ],
    [
      'when it is closed',
      {},
      (made, number) => made.world.call(closePull, made.otto, { repo: REPO, number }),
      'closed',
    ],
    [
      'when it is a draft again',
      {},
      (made, number) => made.world.call(convertPullToDraft, made.otto, { repo: REPO, number }),
      'draft',
    ],
    [
      'when changes are requested',
      {},
      (made, number) =>
        made.world.call(reviewPull, made.ada, {
          repo: REPO,
          number,
          verdict: 'request_changes',
          body: 'No',
        }),
      'changes_requested',
    ],
    [
      'when it needs an approval that it lacks',
      {},
      (made) => made.configure({ required_approvals: 1 }),
      'approvals_missing',
    ],
    [
      'when the commands change',
      {},
      (made, number) =>
        made.world.call(updateIssue, made.ada, {
          repo: REPO,
          number: made.pull(number).issue ?? 0,
          checks: ['false'],
        }),
      'checks_changed',
    ],
    [
      'when the queue is turned off',
      {},
      (made) => made.configure({ merge_queue: false }),
      'queue_disabled',
    ],
    [
      'when the repository is archived',
      {},
      (made) => made.world.call(archiveRepo, made.ada, { repo: REPO }),
      'archived',
    ],
    [
      'when who queued it may not merge any more',
      {},
      async (made) => {
        await made.world.call(setBasePermission, made.ada, {
          workspace: 'acme',
          base_permission: 'read',
        })
        // Nothing tells of that; the queue looks by itself from time to time.
        await made.world.write((tx) => tx.enqueue(sweepQueues, null))
      },
      'role',
    ],
  ]
  for (const [name, settings, change, reason] of cases) {
    test(name, async () => {
      const made = await makeQueueWorld(settings)
      const [first] = await underTest(made)
      const main = made.ref('main')
      await change(made, first)
      await made.world.jobs()
      expect(await made.entry(first)).toMatchObject({ state: 'removed', reason, position: null })
      expect(made.told(first).at(-1)).toBe(`removed ${reason}`)
      const told = comments(made, first).at(-1)
      expect(told).toMatchObject({
        author_id: made.workspace.id,
        body: expect.stringContaining('/acme/site/queue'),
      })
      expect(made.ref('main')).toBe(main)
      expect(
        made.hearth.db.all(
          `SELECT 1 FROM check_runs WHERE number = ? AND purpose = 'queue' AND state IN ('queued', 'running')`,
          first,
        ),
      ).toEqual([])
    })
  }

  test('when an approval is taken away', async () => {
    const made = await makeQueueWorld({ required_approvals: 1 })
    made.answers(() => null)
    const number = await made.checked({ 'b.txt': 'one\n' })
    await made.world.call(reviewPull, made.max, { repo: REPO, number, verdict: 'approve' })
    await made.merge(number)
    await made.world.jobs()
    const { items } = await made.world.call(listReviews, made.ada, { repo: REPO, number })
    await made.world.call(dismissReview, made.ada, {
      repo: REPO,
      number,
      id: items[0]?.id ?? '',
      reason: 'Look again',
    })
    await made.world.jobs()
    expect(await made.entry(number)).toMatchObject({
      state: 'removed',
      reason: 'approvals_missing',
    })
  })

  test('when it is to go elsewhere; but not when its base has another name', async () => {
    const made = await makeQueueWorld()
    const [first, second] = await underTest(made)
    await made.push(REPO, 'next', made.ref('main'))
    await made.world.call(updatePull, made.otto, { repo: REPO, number: second, base: 'next' })
    expect(await made.entry(second)).toMatchObject({ state: 'removed', reason: 'base_changed' })
    await made.world.call(renameBranch, made.ada, { repo: REPO, branch: 'main', new_name: 'trunk' })
    await made.world.jobs()
    const { base, waiting } = await made.queue()
    expect([base, waiting.map(({ pull }) => pull.number)]).toEqual(['trunk', [first]])
    await made.finish(first, 'passed')
    expect(made.ref('trunk')).toBe(made.pull(first).merge_commit_sha)
  })

  test('merging another for the same issue closes it, and it is gone from the queue in that moment', async () => {
    const made = await makeQueueWorld()
    const issue = await made.issue(made.ada)
    made.answers(() => 'passed')
    const first = await made.ready(made.mel, { 'b.txt': 'one\n' }, { issue })
    const second = await made.ready(made.max, { 'docs/guide.txt': 'two\n' }, { issue })
    await made.merge(first)
    await made.merge(second)
    await made.world.jobs()
    expect([made.pull(first).status, made.pull(second).status]).toEqual(['merged', 'closed'])
    expect(await made.entry(second)).toMatchObject({ state: 'removed', reason: 'closed' })
  })
})

describe('rules', () => {
  test('a rule puts one branch behind the queue; without it the entries are out', async () => {
    const made = await makeQueueWorld({ merge_queue: false })
    const { id } = await made.world.call(createRuleset, made.ada, {
      repo: REPO,
      name: 'Queue',
      target: 'branch',
      conditions: { ref_name: { include: ['main'], exclude: [] } },
      rules: [{ type: 'merge_queue', parameters: { slots: 1, timeout_minutes: 5 } }],
    } as never)
    made.answers(() => null)
    const first = await made.checked({ 'b.txt': 'one\n' })
    const second = await made.checked({ 'docs/guide.txt': 'two\n' })
    for (const number of [first, second]) expect((await made.merge(number)).queue).not.toBeNull()
    await made.world.jobs()
    expect(await made.states()).toEqual([`${first} testing 1`, `${second} queued 1`])
    expect(
      made.hearth.db.one<{ timeout_ms: number }>(
        `SELECT timeout_ms FROM check_runs WHERE purpose = 'queue'`,
      )?.timeout_ms,
    ).toBe(300_000)
    await made.world.call(deleteRuleset, made.ada, { repo: REPO, id })
    await made.world.jobs()
    expect((await made.entry(first)).reason).toBe('queue_disabled')
    expect((await made.merge(first)).status).toBe('merged')
  })

  test('outside of a window what passed stays as it is; it lands when the window opens', async () => {
    const made = await makeQueueWorld()
    made.answers(() => null)
    const number = await made.checked({ 'a.txt': text({ 1: 'one' }) })
    await made.merge(number)
    await made.world.jobs()
    await made.world.call(createRuleset, made.ada, {
      repo: REPO,
      name: 'Hours',
      target: 'branch',
      conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
      rules: [
        {
          type: 'merge_window',
          parameters: {
            time_zone: '+00:00',
            windows: [{ days: ['sun'], start: '14:00', end: '16:00' }],
            freezes: [],
          },
        },
      ],
    } as never)
    await made.finish(number, 'passed')
    const main = made.ref('main')
    expect(await made.entry(number)).toMatchObject({
      state: 'passed',
      note: expect.stringContaining('window'),
    })
    made.world.clock.advance(119 * 60_000)
    await made.world.jobs()
    expect(made.ref('main')).toBe(main)
    made.world.clock.advance(2 * 60_000)
    await made.world.jobs()
    expect(made.pull(number).status).toBe('merged')
    expect(made.told(number)).toEqual(['queued', 'testing', 'passed', 'landing', 'landed'])
  })
})
