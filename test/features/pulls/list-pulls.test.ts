import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { typeId } from '#core/ids.ts'
import { refusal } from '../../world.ts'
import { makePullWorld, REPO } from './fixture.ts'

test('filters by state, newest first, with the number of all', async () => {
  const { world, ada, otto, mel, draft, ready, fromBranch } = await makePullWorld({
    require_up_to_date: false,
  })
  const first = await draft(otto)
  const second = await ready(otto, { 'c.txt': 'c\n' })
  const third = await ready(otto, { 'd.txt': 'd\n' })
  const fourth = await fromBranch(mel)
  await world.call(mergePull, ada, { repo: REPO, number: third })
  await world.call(closePull, mel, { repo: REPO, number: fourth })
  const numbers = async (state?: 'open' | 'draft' | 'ready' | 'merged' | 'closed' | 'all') =>
    (await world.call(listPulls, anonymous, { repo: REPO, state })).items.map(
      ({ number }) => number,
    )
  expect(await numbers()).toEqual([second, first])
  expect(await numbers('open')).toEqual([second, first])
  expect(await numbers('draft')).toEqual([first])
  expect(await numbers('ready')).toEqual([second])
  expect(await numbers('merged')).toEqual([third])
  expect(await numbers('closed')).toEqual([fourth])
  expect(await numbers('all')).toEqual([fourth, third, second, first])
  expect(
    await world.call(listPulls, anonymous, { repo: REPO, state: 'all', per_page: 3, page: 2 }),
  ).toMatchObject({ items: [{ number: first }], next: null, total: 4 })
  expect(
    await refusal(world.call(listPulls, anonymous, { repo: REPO, state: 'odd' as 'open' })),
  ).toMatchObject({ status: 422, field: 'state' })
})

test('filters by issue, author and branch', async () => {
  const { world, otto, mel, agent, draft, fromBranch, issue } = await makePullWorld()
  const of = await issue()
  const bot = await agent(otto)
  const forIssue = await draft(otto, null, { issue: of })
  const byAgent = await draft(bot, null)
  const branch = await fromBranch(mel)
  const numbers = async (filter: { issue?: number; author?: string; branch?: string }) =>
    (await world.call(listPulls, otto, { repo: REPO, ...filter })).items.map(({ number }) => number)
  expect(await numbers({ issue: of })).toEqual([forIssue])
  expect(await numbers({ author: 'otto' })).toEqual([forIssue])
  expect(await numbers({ author: 'otto/bot' })).toEqual([byAgent])
  expect(await numbers({ author: 'nobody' })).toEqual([])
  expect(await numbers({ branch: 'feature' })).toEqual([branch])
})

test('asks git for nothing: what is not known yet is unknown, and known soon after', async () => {
  const { world, hearth, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  await world.jobs()
  await world.write((tx) => tx.db.run('DELETE FROM pull_stats'))
  const [before] = (await world.call(listPulls, otto, { repo: REPO })).items
  expect(before).toMatchObject({ number, mergeable: 'unknown', commits_count: 0 })
  await hearth.jobs.idle()
  const [after] = (await world.call(listPulls, otto, { repo: REPO })).items
  expect(after).toMatchObject({ number, mergeable: 'yes', commits_count: 1 })
})

test('a private repository shows nothing to others', async () => {
  const { world, ada, otto } = await makePullWorld()
  await world.repo('acme/vault', { as: ada, private: true })
  expect(await refusal(world.call(listPulls, otto, { repo: 'acme/vault' }))).toMatchObject({
    status: 404,
  })
  expect((await world.call(listPulls, ada, { repo: 'acme/vault' })).items).toEqual([])
})

describe('filters that lists of issues have too', async () => {
  const { world, ada, mel, max, otto, ready, draft, pull } = await makePullWorld()
  const milestone = await world.call(createMilestone, ada, { repo: REPO, title: 'Spring' })
  const door = await ready(otto, { 'c.txt': 'c\n' })
  const roof = await ready(otto, { 'd.txt': 'd\n' })
  const plan = await draft(mel)
  const change = (number: number, input: object) =>
    world.call(updatePull, ada, { repo: REPO, number, ...input })
  await change(door, {
    title: 'Repair the door',
    body: 'The hinge squeaks',
    labels: ['bug'],
    assignees: ['mel'],
    milestone: 'Spring',
  })
  await change(roof, { title: 'Cover the roof', labels: ['bug', 'docs'] })
  const list = (input: object = {}) => world.call(listPulls, otto, { repo: REPO, ...input })
  const numbers = async (input: object = {}) =>
    (await list(input)).items.map(({ number }) => number)

  test('labels, assignee, milestone and what is missing', async () => {
    expect(await numbers({ label: 'bug' })).toEqual([roof, door])
    expect(await numbers({ label: ['bug', 'docs'] })).toEqual([roof])
    expect((await list({ label: 'bug' })).total).toBe(2)
    expect(await numbers({ assignee: 'mel' })).toEqual([door])
    expect(await numbers({ milestone: milestone.id })).toEqual([door])
    expect(await numbers({ without: ['label'] })).toEqual([plan])
    expect(await numbers({ without: ['assignee', 'milestone'] })).toEqual([plan, roof])
    expect(await numbers({ label: 'bug', state: 'draft' })).toEqual([])
    expect(await list({ milestone: 'Autumn' })).toMatchObject({ items: [], total: 0 })
    expect((await list({ assignee: 'mel' })).items[0]?.milestone).toMatchObject({
      id: milestone.id,
      title: 'Spring',
    })
  })

  test('words are found in title and description, as these change', async () => {
    expect(await numbers({ q: 'door' })).toEqual([door])
    expect(await numbers({ q: 'hinge' })).toEqual([door])
    await change(door, { title: 'Repair the gate' })
    expect(await numbers({ q: 'door' })).toEqual([])
    expect(await numbers({ q: 'gate hinge' })).toEqual([door])
    expect((await list({ q: 'gate' })).total).toBe(1)
  })

  test('the order is by creation, last change or comments, either way', async () => {
    expect(await numbers({ direction: 'asc' })).toEqual([door, roof, plan])
    world.clock.advance(60_000)
    await change(roof, { body: 'With straw' })
    expect(await numbers({ sort: 'updated' })).toEqual([roof, plan, door])
    world.clock.advance(60_000)
    await world.commit(`${REPO}/pull/${plan}`, 'main', { 'z.txt': 'z\n' }, { as: mel })
    expect(await numbers({ sort: 'updated' })).toEqual([plan, roof, door])
    await world.call(addComment, mel, { repo: REPO, number: door, body: 'Good.' })
    expect((await numbers({ sort: 'comments' }))[0]).toBe(door)
    expect((await numbers({ sort: 'comments', direction: 'asc' })).at(-1)).toBe(door)
  })

  test('the state of review is the last verdict of each reviewer', async () => {
    expect(await numbers({ review: 'none' })).toEqual([plan, roof, door])
    await world.call(reviewPull, mel, { repo: REPO, number: door, verdict: 'approve' })
    await world.call(reviewPull, mel, {
      repo: REPO,
      number: roof,
      verdict: 'request_changes',
      body: 'Not straw.',
    })
    expect(await numbers({ review: 'approved' })).toEqual([door])
    expect(await numbers({ review: 'changes_requested' })).toEqual([roof])
    expect(await numbers({ review: 'required' })).toEqual([plan])
    await world.call(reviewPull, max, {
      repo: REPO,
      number: door,
      verdict: 'request_changes',
      body: 'No.',
    })
    expect(await numbers({ review: 'approved' })).toEqual([])
    await world.call(reviewPull, max, { repo: REPO, number: door, verdict: 'approve' })
    expect(await numbers({ review: 'approved' })).toEqual([door])
    expect((await list({ review: 'approved' })).total).toBe(1)
  })

  test('the state of checks is that of the head', async () => {
    const report = (number: number, state: 'success' | 'failure' | 'pending', context = 'ci') =>
      world.call(setCommitStatus, ada, {
        repo: REPO,
        sha: pull(number).head_sha ?? '',
        state,
        context,
      })
    await report(door, 'success')
    await report(roof, 'success')
    await report(roof, 'failure', 'lint')
    expect(await numbers({ checks: 'passed' })).toEqual([door])
    expect(await numbers({ checks: 'failed' })).toEqual([roof])
    expect(await numbers({ checks: 'none' })).toEqual([plan])
    await report(door, 'pending')
    expect(await numbers({ checks: 'pending' })).toEqual([door])
    expect(await list({ checks: 'failed', per_page: 1 })).toMatchObject({ total: 1, next: null })
  })
})

test('reviews count by the rights of now', async () => {
  const { world, ada, mel, max, otto, ready } = await makePullWorld()
  const approved = await ready(otto, { 'c.txt': 'c\n' })
  const refused = await ready(otto, { 'd.txt': 'd\n' })
  await world.call(reviewPull, mel, { repo: REPO, number: approved, verdict: 'approve' })
  await world.call(reviewPull, max, {
    repo: REPO,
    number: refused,
    verdict: 'request_changes',
    body: 'No.',
  })
  const numbers = async (review: 'approved' | 'changes_requested' | 'required' | 'none') => {
    const { items, total } = await world.call(listPulls, otto, { repo: REPO, review })
    expect(total).toBe(items.length)
    return items.map(({ number }) => number)
  }
  expect(await numbers('approved')).toEqual([approved])
  expect(await numbers('changes_requested')).toEqual([refused])
  for (const username of ['mel', 'max'])
    await world.call(removeMember, ada, { workspace: 'acme', username })
  expect(await numbers('approved')).toEqual([])
  expect(await numbers('changes_requested')).toEqual([])
  expect(await numbers('required')).toEqual([refused, approved])
  expect(await numbers('none')).toEqual([])
})

test('pages of a long list by checks and reviews have every match once', async () => {
  const { world, hearth, ada, mel, otto, ready, row } = await makePullWorld()
  const first = await ready(otto, { 'c.txt': 'c\n' })
  const repo_id = row().id
  // Copies of one pull request: making as many would take minutes.
  const copies = 1200
  const columns = (table: string, changed: Record<string, string>) => {
    const names = hearth.db
      .all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
      .map(({ name }) => name)
    return { to: names.join(), from: names.map((name) => changed[name] ?? `x.${name}`).join() }
  }
  const serial = `WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${copies})`
  await world.write((tx) => {
    for (const [table, changed] of [
      ['records', { number: 'x.number + n.i', seq: 'x.seq + 100000 + n.i' }],
      [
        'pulls',
        { number: 'x.number + n.i', id: `x.id || '-' || n.i`, head_sha: `printf('%040x', n.i)` },
      ],
    ] as const) {
      const { to, from } = columns(table, changed)
      tx.db.run(
        `INSERT INTO ${table} (${to}) ${serial} SELECT ${from} FROM ${table} x, n WHERE x.repo_id = ? AND x.number = ?`,
        repo_id,
        first,
      )
    }
  })
  const passing = Array.from({ length: 40 }, (_, at) => first + 30 * at + 7).toReversed()
  await world.write((tx) => {
    for (const number of passing)
      tx.db.run(
        `INSERT INTO commit_statuses (id, repo_id, sha, context, state, created_at)
         VALUES (?, ?, printf('%040x', ?), 'ci', 'success', ?)`,
        typeId('sts', world.clock.now()),
        repo_id,
        number - first,
        tx.now,
      )
    const approved = passing.slice(0, 3)
    for (const number of approved)
      tx.db.run(
        `INSERT INTO reviews (id, pull_id, author_id, verdict, body, commit_sha, diff_id, could_write, created_at)
         SELECT ?, id, ?, 'approve', '', head_sha, '', 1, ? FROM pulls WHERE repo_id = ? AND number = ?`,
        typeId('rvw', world.clock.now()),
        mel.id,
        tx.now,
        repo_id,
        number,
      )
  })
  const list = (input: object) => world.call(listPulls, ada, { repo: REPO, ...input })
  const found: number[] = []
  let cursor: string | undefined
  do {
    const page = await list({ checks: 'passed', per_page: 7, ...(cursor && { cursor }) })
    found.push(...page.items.map(({ number }) => number))
    cursor = page.next ?? undefined
  } while (cursor)
  expect(found).toEqual(passing)
  const numbers = async (input: object) => (await list(input)).items.map(({ number }) => number)
  expect(await numbers({ checks: 'passed', review: 'approved' })).toEqual(passing.slice(0, 3))
  expect((await list({ checks: 'passed', per_page: 1, page: 41 })).items).toEqual([])
})
