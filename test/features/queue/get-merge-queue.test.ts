import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { getMergeQueue } from '#features/queue/get-merge-queue.ts'
import { refusal } from '../../world.ts'
import { makeQueueWorld, REPO, text } from './fixture.ts'

describe('landing', () => {
  test('what lands is the tested commit itself; each rests on the one ahead', async () => {
    const made = await makeQueueWorld()
    const { world, ref, merge, answers, entry, queue, told, pull } = made
    answers(() => null)
    const first = await made.checked({ 'b.txt': 'one\n' })
    const second = await made.checked({ 'docs/guide.txt': 'two\n' })
    const before = ref('main')
    const answer = await merge(first)
    expect(answer).toMatchObject({
      status: 'open',
      merge_commit_sha: null,
      queue: { position: 1, state: 'queued' },
    })
    expect((await merge(second, { method: 'squash', message: 'Squashed' })).queue).toMatchObject({
      position: 2,
    })
    await world.jobs()
    const [one, two] = (await queue()).waiting
    expect([one?.state, two?.state]).toEqual(['testing', 'testing'])
    expect([one?.base_sha, two?.base_sha]).toEqual([before, one?.candidate_sha])
    expect(ref('main')).toBe(before)
    // The second has passed, and waits for the first.
    await made.finish(second, 'passed')
    expect(await made.states()).toEqual([`${first} testing 1`, `${second} passed 1`])
    expect(ref('main')).toBe(before)
    await made.finish(first, 'passed')
    expect(ref('main')).toBe(two?.candidate_sha ?? '')
    expect((await made.line()).map(({ oid }) => oid).slice(0, 3)).toEqual([
      two?.candidate_sha ?? '',
      one?.candidate_sha ?? '',
      before ?? '',
    ])
    expect(pull(first)).toMatchObject({
      status: 'merged',
      merge_commit_sha: one?.candidate_sha,
      merge_method: 'merge',
      merged_by: made.mel.id,
    })
    expect(pull(second)).toMatchObject({
      status: 'merged',
      merge_commit_sha: two?.candidate_sha,
      merge_method: 'squash',
    })
    expect((await made.line())[0]?.message).toContain('Squashed')
    expect(told(first)).toEqual(['queued', 'testing', 'passed', 'landing', 'landed'])
    expect(world.events('pull.merged').map(({ data }) => data.number)).toEqual([first, second])
    expect(
      (await queue()).recent.map(({ state, position, settled_at }) => [
        state,
        position,
        settled_at !== null,
      ]),
    ).toEqual([
      ['landed', null, true],
      ['landed', null, true],
    ])
    expect(await entry(first)).toMatchObject({
      checks: { status: 'passed', merge_sha: one?.candidate_sha },
      queued_by: { username: 'mel' },
    })
    // Nobody could fetch a candidate: no ref but branches and forks was made.
    expect(
      made.hearth.db.all<{ name: string }>(
        `SELECT name FROM refs WHERE name NOT LIKE 'refs/heads/%'`,
      ),
    ).toEqual([])
  })

  test('without commands it passes at once; asking again changes nothing', async () => {
    const made = await makeQueueWorld()
    const number = await made.ready(made.otto)
    const { queue } = await made.merge(number)
    expect((await made.merge(number)).queue).toEqual(queue)
    expect((await made.queue()).waiting).toHaveLength(1)
    await made.world.jobs()
    expect(made.pull(number).status).toBe('merged')
    expect(made.told(number)).toEqual(['queued', 'testing', 'passed', 'landing', 'landed'])
  })

  test('being behind the base is no obstacle, conflicts are', async () => {
    const made = await makeQueueWorld()
    const number = await made.ready(made.otto, { 'a.txt': text({ 3: 'mine' }) })
    const bad = await made.ready(made.otto, { 'a.txt': text({ 12: 'mine' }) })
    await made.world.commit(REPO, 'main', { 'a.txt': text({ 12: 'theirs' }) })
    await made.world.jobs()
    expect(await refusal(made.merge(bad))).toMatchObject({ reason: 'conflicts' })
    await made.merge(number)
    await made.world.jobs()
    expect([made.pull(number).status, made.pull(bad).status]).toEqual(['merged', 'open'])
  })

  test('each method', async () => {
    const made = await makeQueueWorld()
    const numbers: number[] = []
    for (const [index, method] of (['merge', 'squash', 'rebase'] as const).entries()) {
      const number = await made.ready(made.otto, { 'a.txt': text({ [index * 6 + 1]: method }) })
      numbers.push(number)
      await made.merge(number, { method })
    }
    await made.world.jobs()
    expect(numbers.map((number) => made.pull(number).merge_method)).toEqual([
      'merge',
      'squash',
      'rebase',
    ])
    expect((await made.line()).slice(0, 3).map(({ parents }) => parents.length)).toEqual([1, 1, 2])
  })
})

describe('failing', () => {
  test('one whose checks fail leaves with a comment; those behind go on without it, with their attempt', async () => {
    const made = await makeQueueWorld()
    const { world, answers, merge, entry, told } = made
    const bad = await made.checked({ 'b.txt': 'bad\n' })
    const good = await made.checked({ 'docs/guide.txt': 'good\n' })
    answers(async ({ hearth, commit }) =>
      Buffer.from(
        (
          await hearth.git.readBlob(
            made.row().store,
            (await hearth.git.findEntry(made.row().store, commit, 'b.txt'))?.oid ?? '',
          )
        )?.data ?? [],
      ).toString() === 'bad\n'
        ? 'failed'
        : 'passed',
    )
    await merge(bad)
    await merge(good)
    await world.jobs()
    expect(made.pull(good).status).toBe('merged')
    expect(made.pull(bad).status).toBe('open')
    expect(await entry(bad)).toMatchObject({
      state: 'failed',
      reason: 'checks_failed',
      position: null,
    })
    expect((await entry(good)).attempt).toBe(1)
    expect(told(bad).at(-1)).toBe('failed checks_failed')
    const { body } = made.hearth.db.one<{ body: string }>(
      'SELECT body FROM comments WHERE number = ?',
      bad,
    ) ?? { body: '' }
    expect(body).toContain('its checks failed')
    expect(body).toMatch(
      /\[Output of the check\]\(https:\/\/hearth\.test\/acme\/site\/pull\/\d+\/checks\/chk_\w+\.log\)/,
    )
    expect(made.hearth.db.one('SELECT body FROM comments WHERE number = ?', good)).toBeNull()
  })

  test('merging by itself goes through the queue, once; what failed is not put in again', async () => {
    const made = await makeQueueWorld()
    made.answers(({ number }) => (number === bad ? 'failed' : 'passed'))
    const good = await made.checked({ 'b.txt': 'good\n' })
    const bad = await made.checked({ 'docs/guide.txt': 'bad\n' })
    for (const number of [good, bad])
      await made.world.call(updatePull, made.mel, { repo: REPO, number, auto_merge: true })
    await made.world.jobs()
    expect(made.pull(good).status).toBe('merged')
    expect(made.told(good)).toEqual(['queued', 'testing', 'passed', 'landing', 'landed'])
    expect(made.told(bad)).toEqual(['queued', 'testing', 'failed checks_failed'])
    expect(made.pull(bad)).toMatchObject({ status: 'open', auto_merge: 0 })
    expect(made.world.events('pull.updated').at(-1)).toMatchObject({
      actor_id: null,
      data: {
        number: bad,
        changed: ['auto_merge'],
        reason: expect.stringContaining('checks failed'),
      },
    })
  })

  test('a failure on top of something untested is nobody’s fault yet', async () => {
    const made = await makeQueueWorld({ queue_slots: 3 })
    const { answers, merge, states } = made
    answers(() => null)
    const first = await made.checked({ 'b.txt': 'one\n' })
    const second = await made.checked({ 'docs/guide.txt': 'two\n' })
    const third = await made.checked({ 'c.txt': 'three\n' })
    for (const number of [first, second, third]) await merge(number)
    await made.world.jobs()
    await made.finish(second, 'failed')
    expect(await states()).toEqual([
      `${first} testing 1`,
      `${second} testing 1`,
      `${third} testing 1`,
    ])
    // What is behind it is built without it, because its candidate is lost either way.
    const { waiting } = await made.queue()
    expect(waiting[2]?.base_sha).toBe(waiting[0]?.candidate_sha ?? '')
    // The first was the one at fault: the second gets another candidate, and its attempt stays.
    await made.finish(first, 'failed')
    expect(await states()).toEqual([`${second} testing 1`, `${third} testing 1`])
    expect((await made.entry(first)).reason).toBe('checks_failed')
    await made.finish(second, 'passed')
    await made.finish(third, 'passed')
    expect([made.pull(first).status, made.pull(second).status, made.pull(third).status]).toEqual([
      'open',
      'merged',
      'merged',
    ])
  })

  test('conflicts with what is ahead: it leaves once that is sure to land', async () => {
    const made = await makeQueueWorld()
    const { answers, merge } = made
    answers(() => null)
    const first = await made.checked({ 'b.txt': 'one\n' })
    const second = await made.checked({ 'b.txt': 'two\n' })
    await merge(first)
    await merge(second)
    await made.world.jobs()
    expect(await made.states()).toEqual([`${first} testing 1`, `${second} queued 1`])
    expect((await made.entry(second)).note).toContain('b.txt')
    await made.finish(first, 'passed')
    expect(await made.entry(second)).toMatchObject({ state: 'failed', reason: 'conflicts' })
    expect(made.ref('main')).toBe(made.pull(first).merge_commit_sha)
  })

  test('tests that take too long together', async () => {
    const made = await makeQueueWorld({ check_timeout_minutes: 1 })
    made.answers(() => null)
    const slow = await made.checked({ 'b.txt': 'slow\n' }, ['a', 'b'])
    const never = await made.checked({ 'c.txt': 'never\n' })
    await made.merge(slow)
    await made.world.jobs()
    await made.finish(slow, 'failed', 31_000)
    expect(await made.entry(slow)).toMatchObject({ state: 'failed', reason: 'timed_out' })
    await made.merge(never)
    await made.world.jobs()
    await made.world.write(
      (tx) =>
        void tx.db.run(
          `UPDATE check_runs SET state = 'running', started_at = ? WHERE number = ? AND purpose = 'queue'`,
          tx.now,
          never,
        ),
    )
    made.world.clock.advance(59_000)
    await made.world.jobs()
    expect((await made.entry(never)).state).toBe('testing')
    made.world.clock.advance(2_000)
    await made.world.jobs()
    expect(await made.entry(never)).toMatchObject({
      state: 'failed',
      reason: 'timed_out',
      checks: { status: 'errored' },
    })
    expect(made.ref('main')).not.toBe(made.pull(never).head_sha)
  })

  test('a base that is pushed to costs an attempt each time; the third is the last', async () => {
    const made = await makeQueueWorld()
    made.answers(() => null)
    const first = await made.checked({ 'b.txt': 'one\n' })
    const second = await made.checked({ 'docs/guide.txt': 'two\n' })
    await made.merge(first)
    await made.merge(second)
    await made.world.jobs()
    for (const line of [2, 3]) {
      await made.world.commit(REPO, 'main', { 'a.txt': text({ [line]: 'pushed' }) })
      await made.world.jobs()
    }
    expect(await made.states()).toEqual([`${first} testing 3`, `${second} testing 1`])
    await made.world.commit(REPO, 'main', { 'a.txt': text({ 4: 'pushed' }) })
    await made.world.jobs()
    expect(await made.entry(first)).toMatchObject({ state: 'failed', reason: 'base_moved' })
    await made.finish(second, 'passed')
    expect(made.pull(second).status).toBe('merged')
    expect((await made.line())[0]?.parents[0]).not.toBe(made.pull(first).base_sha ?? '')
  })

  test('slots: so many are tested at once', async () => {
    const made = await makeQueueWorld({ queue_slots: 2 })
    made.answers(() => null)
    const numbers: number[] = []
    for (const line of [1, 5, 9, 13])
      numbers.push(await made.checked({ 'a.txt': text({ [line]: 'changed' }) }))
    for (const number of numbers) await made.merge(number)
    await made.world.jobs()
    expect((await made.states()).map((state) => state.split(' ')[1])).toEqual([
      'testing',
      'testing',
      'queued',
      'queued',
    ])
    await made.finish(numbers[0] ?? 0, 'passed')
    expect((await made.states()).map((state) => state.split(' ')[1])).toEqual([
      'testing',
      'testing',
      'queued',
    ])
  })
})

describe('who sees it', () => {
  test('everyone who sees the repository; other branches have their own', async () => {
    const made = await makeQueueWorld()
    expect(await made.world.call(getMergeQueue, anonymous, { repo: REPO })).toEqual({
      enabled: true,
      base: 'main',
      bases: [],
      paused: null,
      waiting: [],
      recent: [],
    })
    expect(
      (await refusal(made.world.call(getMergeQueue, made.otto, { repo: REPO, base: 'gone' })))
        .status,
    ).toBe(404)
    await made.configure({ merge_queue: false })
    expect((await made.queue()).enabled).toBe(false)
  })

  test('when it may land, going by those that landed', async () => {
    const made = await makeQueueWorld()
    made.answers(() => null)
    const first = await made.checked({ 'b.txt': 'one\n' })
    await made.merge(first)
    await made.world.jobs()
    expect((await made.entry(first)).estimated_at).toBeNull()
    made.world.clock.advance(60_000)
    await made.finish(first, 'passed')
    const second = await made.checked({ 'docs/guide.txt': 'two\n' })
    await made.merge(second)
    await made.world.jobs()
    expect(Date.parse((await made.entry(second)).estimated_at ?? '')).toBe(
      made.world.clock.now() + 60_000,
    )
  })
})
