import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal, withToken, workspaceCaller } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

type Input = Omit<NonNullable<(typeof reviewPull)['__input']>, 'repo' | 'number'>

describe('what counts', () => {
  test('an approval by someone with write; not one without', async () => {
    const { world, mel, otto, ready, pull } = await makePullWorld()
    const number = await ready(otto)
    const review = await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' })
    expect(review).toMatchObject({
      verdict: 'approve',
      body: '',
      counted: true,
      why_not_counted: null,
      stale: false,
      dismissed: null,
      comments: [],
      commit: pull(number).head_sha,
      author: { username: 'mel' },
    })
    const noel = await world.user('noel')
    expect(
      await world.call(reviewPull, noel, { repo: REPO, number, verdict: 'approve' }),
    ).toMatchObject({ counted: false, why_not_counted: 'no_write' })
    expect((await world.call(getPull, otto, { repo: REPO, number })).approvals.counted).toBe(1)
    expect(world.events('comment.created').map(({ data }) => data)).toMatchObject([
      { number, review: review.id, verdict: 'approve', comment: null, path: null },
      { number, verdict: 'approve' },
    ])
    expect(world.events('review.completed')).toEqual([])
  })

  test('only the latest verdict of each, comments aside', async () => {
    const { world, mel, otto, ready } = await makePullWorld()
    const number = await ready(otto)
    const say = (verdict: Input['verdict'], body = 'x') =>
      world.call(reviewPull, mel, { repo: REPO, number, verdict, body })
    await say('approve')
    await say('request_changes')
    expect(await say('comment')).toMatchObject({ counted: false, why_not_counted: null })
    const detail = await world.call(getPull, otto, { repo: REPO, number })
    expect(detail.reviews.map(({ verdict, counted }) => [verdict, counted])).toEqual([
      ['approve', false],
      ['request_changes', true],
      ['comment', false],
    ])
    expect(detail).toMatchObject({
      approvals: { counted: 0 },
      blockers: [{ code: 'changes_requested' }],
    })
  })

  test('not when the role is gone', async () => {
    const { world, ada, mel, otto, ready } = await makePullWorld({ required_approvals: 1 })
    const number = await ready(otto)
    await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' })
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'read' })
    expect(await world.call(getPull, otto, { repo: REPO, number })).toMatchObject({
      approvals: { counted: 0 },
      reviews: [{ counted: false, why_not_counted: 'no_write' }],
      blockers: [{ code: 'approvals_missing', details: { required: 1, counted: 0 } }],
    })
  })

  test('a push that changes the diff makes it stale; merging the base in does not', async () => {
    const { world, mel, otto, ready, fork, mergeBaseIn, configure } = await makePullWorld()
    const number = await ready(otto, { 'b.txt': 'mine\n' })
    await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' })
    const reviews = async () => (await world.call(getPull, otto, { repo: REPO, number })).reviews
    await world.commit(REPO, 'main', { 'a.txt': text({ 3: 'theirs' }) })
    await mergeBaseIn(number, otto)
    expect(await reviews()).toMatchObject([{ counted: true, stale: false }])
    await world.commit(fork(number), 'main', { 'b.txt': 'mine, and more\n' }, { as: otto })
    expect(await reviews()).toMatchObject([
      { counted: false, stale: true, why_not_counted: 'stale' },
    ])
    await configure({ dismiss_stale_approvals: false })
    expect(await reviews()).toMatchObject([{ counted: true, stale: false }])
  })

  test('the same line at another place is another change', async () => {
    const { world, mel, otto, ready, push, fork, pull } = await makePullWorld()
    const number = await ready(otto, { 'a.txt': text({ 4: 'line 4\nreturn' }) })
    await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' })
    await push(fork(number), 'main', pull(number).base_sha, otto)
    await world.commit(
      fork(number),
      'main',
      { 'a.txt': text({ 14: 'line 14\nreturn' }) },
      { as: otto },
    )
    expect((await world.call(getPull, otto, { repo: REPO, number })).reviews).toMatchObject([
      { counted: false, stale: true },
    ])
  })

  test('an agent’s only where the repository says so, and never that of the author’s own', async () => {
    const { world, mel, otto, agent, ready, configure } = await makePullWorld()
    const number = await ready(otto)
    const bot = await agent(mel)
    const own = await agent(otto, 'own')
    expect(
      await world.call(reviewPull, bot, { repo: REPO, number, verdict: 'approve' }),
    ).toMatchObject({ counted: false, why_not_counted: 'agent' })
    expect(
      await world.call(reviewPull, own, { repo: REPO, number, verdict: 'approve' }),
    ).toMatchObject({ counted: false, why_not_counted: 'own' })
    await configure({ count_agent_approvals: true })
    expect(
      (await world.call(getPull, otto, { repo: REPO, number })).reviews.map(
        ({ counted, why_not_counted }) => [counted, why_not_counted],
      ),
    ).toEqual([
      [true, null],
      [false, 'own'],
    ])
    expect(world.events('review.completed').map(({ data }) => data.verdict)).toEqual([
      'approve',
      'approve',
    ])
  })

  test('a workspace’s token is no person', async () => {
    const { world, otto, workspace, ready } = await makePullWorld()
    const number = await ready(otto)
    expect(
      await world.call(reviewPull, workspaceCaller(workspace, { scopes: ['pulls:write'] }), {
        repo: REPO,
        number,
        verdict: 'approve',
      }),
    ).toMatchObject({ counted: false, why_not_counted: 'agent' })
  })
})

describe('one’s own', () => {
  test('is never reviewed by its author, nor by the person whose agent wrote it, nor by that agent', async () => {
    const { world, mel, otto, agent, ready, count } = await makePullWorld()
    const bot = await agent(mel)
    const second = await agent(mel, 'second')
    const mine = await ready(otto)
    const agents = await ready(bot)
    const review = (
      caller: Parameters<typeof world.call>[1],
      number: number,
      verdict: Input['verdict'] = 'approve',
    ) => refusal(world.call(reviewPull, caller, { repo: REPO, number, verdict, body: 'x' }))
    for (const verdict of ['approve', 'request_changes', 'comment'] as const)
      expect(await review(otto, mine, verdict)).toMatchObject({ status: 403 })
    expect(await review(mel, agents)).toMatchObject({ status: 403 })
    expect(await review(bot, agents)).toMatchObject({ status: 403 })
    expect(await review(second, agents)).toMatchObject({ status: 403 })
    expect(count('reviews')).toBe(0)
    expect(world.events('comment.created')).toEqual([])
    expect(
      await world.call(reviewPull, second, {
        repo: REPO,
        number: agents,
        verdict: 'comment',
        body: 'Hm',
      }),
    ).toMatchObject({ counted: false })
  })
})

describe('comments on lines', () => {
  test('are stored with the review, on the commit that was reviewed', async () => {
    const { world, mel, otto, ready, pull } = await makePullWorld()
    const number = await ready(otto, { 'a.txt': text({ 10: 'ten' }) })
    const review = await world.call(reviewPull, mel, {
      repo: REPO,
      number,
      verdict: 'request_changes',
      body: 'See below',
      comments: [
        { path: 'a.txt', line: 10, body: 'Why?' },
        { path: 'a.txt', line: 10, side: 'old', body: 'It was fine' },
        { path: 'a.txt', line: 12, start_line: 8, body: 'All of it' },
      ],
    })
    const { items } = await world.call(listComments, otto, { repo: REPO, number })
    expect(review.comments).toEqual(items.map(({ id }) => id))
    expect(
      items.map(({ path, line, start_line, side, commit, review: of }) => [
        path,
        line,
        start_line,
        side,
        commit,
        of,
      ]),
    ).toEqual([
      ['a.txt', 10, null, 'new', pull(number).head_sha, review.id],
      ['a.txt', 10, null, 'old', pull(number).head_sha, review.id],
      ['a.txt', 12, 8, 'new', pull(number).head_sha, review.id],
    ])
    expect(world.events('comment.created').map(({ data }) => [data.comment, data.path])).toEqual([
      [null, null],
      ...items.map(({ id }) => [id, 'a.txt']),
    ])
  })

  test('one bad line, and nothing is stored', async () => {
    const { world, mel, otto, ready, count } = await makePullWorld()
    const number = await ready(otto, { 'a.txt': text({ 10: 'ten' }) })
    const good = { path: 'a.txt', line: 13, body: 'Near enough' }
    const review = (bad: NonNullable<Input['comments']>[number]) =>
      refusal(
        world.call(reviewPull, mel, {
          repo: REPO,
          number,
          verdict: 'approve',
          comments: [good, bad],
        }),
      )
    expect(await review({ path: 'a.txt', line: 14, body: 'Too far' })).toMatchObject({
      status: 422,
      field: 'comments[1].line',
    })
    expect(await review({ path: 'b.txt', line: 1, body: 'Unchanged' })).toMatchObject({
      status: 422,
      field: 'comments[1].path',
    })
    expect(
      await review({ path: 'a.txt', line: 10, start_line: 11, body: 'Backwards' }),
    ).toMatchObject({ status: 422, field: 'comments[1].start_line' })
    expect(
      await review({ path: 'a.txt', line: 10, start_line: 2, body: 'Too early' }),
    ).toMatchObject({ status: 422, field: 'comments[1].start_line' })
    expect(await review({ path: 'a.txt', line: 10, body: ' ' })).toMatchObject({
      status: 422,
      field: 'comments[1].body',
    })
    expect([count('reviews'), count('comments')]).toEqual([0, 0])
    expect(world.events('comment.created')).toEqual([])
  })
})

describe('refusals', () => {
  test('a body is required to ask for changes and to comment; the verdict is one of three', async () => {
    const { world, mel, otto, ready } = await makePullWorld()
    const number = await ready(otto)
    for (const verdict of ['request_changes', 'comment'] as const) {
      expect(
        await refusal(world.call(reviewPull, mel, { repo: REPO, number, verdict, body: ' ' })),
      ).toMatchObject({ status: 422, field: 'body' })
    }
    expect(
      await refusal(
        world.call(reviewPull, mel, { repo: REPO, number, verdict: 'like' as 'approve' }),
      ),
    ).toMatchObject({ status: 422, field: 'verdict' })
    expect(
      await refusal(world.call(reviewPull, anonymous, { repo: REPO, number, verdict: 'approve' })),
    ).toMatchObject({ status: 401 })
    expect(
      await refusal(
        world.call(reviewPull, withToken(mel, { scopes: ['pulls:read'] }), {
          repo: REPO,
          number,
          verdict: 'approve',
        }),
      ),
    ).toMatchObject({ status: 403, reason: 'scope' })
  })

  test('a commit that was never its head, one that is closed, nothing pushed, a locked conversation', async () => {
    const { world, ada, mel, otto, ready, draft, pull } = await makePullWorld()
    const number = await ready(otto)
    const other = await draft(mel, { 'c.txt': 'c\n' })
    const review = (of: number, commit?: string) =>
      world.call(reviewPull, ada, { repo: REPO, number: of, verdict: 'approve', commit })
    expect(await refusal(review(number, pull(other).head_sha ?? ''))).toMatchObject({
      status: 422,
      field: 'commit',
    })
    expect(await refusal(review(await draft(otto, null)))).toMatchObject({
      status: 409,
      reason: 'not_ready',
    })
    await world.write((tx) => tx.db.run('UPDATE records SET locked = 1 WHERE number = ?', number))
    expect(
      await refusal(
        world.call(reviewPull, await world.user('noel'), {
          repo: REPO,
          number,
          verdict: 'approve',
        }),
      ),
    ).toMatchObject({ status: 403, reason: 'locked' })
    expect((await review(number)).counted).toBe(true)
    await world.call(closePull, otto, { repo: REPO, number })
    expect(await refusal(review(number))).toMatchObject({ status: 409, reason: 'not_open' })
  })

  test('an approval of an earlier head is stale from the start', async () => {
    const { world, mel, otto, ready, fork, pull } = await makePullWorld()
    const number = await ready(otto)
    const first = pull(number).head_sha ?? ''
    await world.commit(fork(number), 'main', { 'c.txt': 'c\n' }, { as: otto })
    expect(
      await world.call(reviewPull, mel, {
        repo: REPO,
        number,
        verdict: 'approve',
        commit: first.slice(0, 8),
      }),
    ).toMatchObject({ commit: first, counted: false, stale: true })
  })
})
