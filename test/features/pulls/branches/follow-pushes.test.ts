import { describe, expect, test } from 'bun:test'
import { getIssue } from '#features/issues/get-issue.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { moveRefs, prepareUpdates } from '#features/repos/index.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

describe('a fork', () => {
  test('its first push gives the draft its head, is told, and leaves a checkpoint', async () => {
    const { world, otto, draft, fork, pull } = await makePullWorld()
    const number = await draft(otto, null)
    const sha = await world.commit(
      fork(number),
      'main',
      { 'c.txt': 'c\n', 'd.txt': 'd\n' },
      { as: otto },
    )
    expect(pull(number)).toMatchObject({
      head_ref: 'main',
      head_sha: sha,
      revision: 0,
      status: 'draft',
    })
    expect(world.events('pull.updated').map(({ data }) => data)).toEqual([
      { number, issue: null, changed: ['head'], head: sha },
    ])
    await world.jobs()
    const { items } = await world.call(getSession, otto, { repo: REPO, number })
    expect(items).toMatchObject([
      {
        seq: 1,
        kind: 'checkpoint',
        author: null,
        sha,
        data: { sha, files: 2 },
        text: `Pushed ${sha.slice(0, 7)} to main`,
      },
    ])
  })

  test('the branch named like the base comes before the one that was pushed last', async () => {
    const { world, otto, draft, fork, pull } = await makePullWorld()
    const number = await draft(otto, null)
    const first = await world.commit(fork(number), 'work', { 'c.txt': 'c\n' }, { as: otto })
    expect(pull(number)).toMatchObject({ head_ref: 'work', head_sha: first })
    const second = await world.commit(fork(number), 'more', { 'd.txt': 'd\n' }, { as: otto })
    expect(pull(number)).toMatchObject({ head_ref: 'more', head_sha: second })
    const third = await world.commit(fork(number), 'main', { 'e.txt': 'e\n' }, { as: otto })
    expect(pull(number)).toMatchObject({ head_ref: 'main', head_sha: third })
    await world.commit(fork(number), 'work', { 'f.txt': 'f\n' }, { as: otto })
    expect(pull(number)).toMatchObject({ head_ref: 'main', head_sha: third })
  })

  test('when its head branch is deleted another pushed one takes its place, and without any it is closed', async () => {
    const { world, otto, draft, fork, pull, push } = await makePullWorld()
    const number = await draft(otto, null)
    const first = await world.commit(fork(number), 'work', { 'c.txt': 'c\n' }, { as: otto })
    await world.commit(fork(number), 'more', { 'd.txt': 'd\n' }, { as: otto })
    await push(fork(number), 'more', null, otto)
    expect(pull(number)).toMatchObject({ head_ref: 'work', head_sha: first, status: 'draft' })
    await push(fork(number), 'work', null, otto)
    expect(pull(number)).toMatchObject({ status: 'closed', closed_because: 'branch_deleted' })
    expect(world.events('pull.closed').map(({ data }) => data)).toEqual([
      { number, issue: null, superseded_by: null },
    ])
  })

  test('counts a revision for each push after it was ready', async () => {
    const { world, otto, ready, fork, pull } = await makePullWorld()
    const number = await ready(otto)
    expect(pull(number).revision).toBe(1)
    await world.commit(fork(number), 'main', { 'c.txt': 'c\n' }, { as: otto })
    await world.commit(fork(number), 'main', { 'd.txt': 'd\n' }, { as: otto })
    expect(pull(number).revision).toBe(3)
    expect((await world.call(getPull, otto, { repo: REPO, number })).revision).toBe(3)
  })

  test('a push to it changes no other pull request', async () => {
    const { world, otto, mel, draft, fork, pull } = await makePullWorld()
    const number = await draft(otto, null)
    const other = await draft(mel, null)
    await world.commit(fork(number), 'main', { 'c.txt': 'c\n' }, { as: otto })
    expect(pull(other).head_sha).toBeNull()
    expect(world.events('pull.updated')).toHaveLength(1)
  })
})

describe('a branch', () => {
  test('a push to it moves the head; its deletion closes, and keeps the commits', async () => {
    const { world, hearth, mel, fromBranch, pull, push, row, issue } = await makePullWorld()
    const of = await issue()
    const number = await fromBranch(mel, 'feature', undefined, { issue: of })
    const sha = await world.commit(REPO, 'feature', { 'c.txt': 'c\n' }, { as: mel })
    expect(pull(number)).toMatchObject({ head_sha: sha, revision: 2 })
    await push(REPO, 'feature', null, mel)
    expect(pull(number)).toMatchObject({ status: 'closed', closed_by: mel.id })
    expect((await world.call(getIssue, mel, { repo: REPO, number: of })).pulls).toMatchObject([
      { number, status: 'closed' },
    ])
    expect(
      hearth.db.one<{ oid: string }>(
        'SELECT oid FROM refs WHERE repo_id = ? AND name = ?',
        row().id,
        `refs/pull/${number}/head`,
      )?.oid,
    ).toBe(sha)
    expect((await world.call(getPull, mel, { repo: REPO, number })).commits_count).toBe(2)
  })

  test('what is closed does not follow pushes', async () => {
    const { world, mel, fromBranch, pull } = await makePullWorld()
    const { closePull } = await import('#features/pulls/lifecycle/close-pull.ts')
    const number = await fromBranch(mel)
    const before = pull(number)
    await world.call(closePull, mel, { repo: REPO, number })
    const told = world.events('pull.updated').length
    await world.commit(REPO, 'feature', { 'c.txt': 'c\n' }, { as: mel })
    expect(pull(number)).toMatchObject({ head_sha: before.head_sha, revision: before.revision })
    expect(world.events('pull.updated')).toHaveLength(told)
  })
})

describe('the base', () => {
  test('a push that holds every commit of the head is its merge, by who pushed', async () => {
    const { world, ada, otto, mel, ready, draft, issue, pull, push, fork, ref } =
      await makePullWorld()
    const of = await issue()
    const number = await ready(otto, undefined, { issue: of })
    const sibling = await draft(mel, { 'c.txt': 'c\n' }, { issue: of })
    const untouched = await draft(mel, null)
    const before = ref('main')
    const tip = await world.commit(
      fork(number),
      'extra',
      { 'b.txt': 'changed\n', 'x.txt': 'x\n' },
      { as: otto },
    )
    await push(fork(number), 'main', tip, otto)
    await push(REPO, 'main', tip, ada)
    await world.jobs()
    expect(pull(number)).toMatchObject({
      status: 'merged',
      merged_by: ada.id,
      merge_commit_sha: tip,
      merge_method: null,
      base_sha: before,
    })
    expect(await world.call(getPull, otto, { repo: REPO, number })).toMatchObject({
      merged_by: 'ada',
      commits_count: 1,
      changed_files: 2,
    })
    expect((await world.call(getIssue, otto, { repo: REPO, number: of })).issue).toMatchObject({
      state: 'closed',
      resolved_by: number,
    })
    expect(pull(sibling)).toMatchObject({ status: 'closed', superseded_by: number })
    expect(pull(untouched).status).toBe('draft')
    expect(
      world
        .events('pull.merged')
        .map(({ data, actor_id }) => [data.commit, data.merged_by, actor_id]),
    ).toEqual([[tip, 'ada', ada.id]])
  })

  test('also when the same push deletes the branch', async () => {
    const { world, hearth, mel, fromBranch, pull, row, ref } = await makePullWorld()
    const number = await fromBranch(mel)
    const tip = ref('feature')
    const repo = row()
    const prepared = await prepareUpdates(hearth, repo, [
      { name: 'refs/heads/main', old: ref('main'), new: tip },
      { name: 'refs/heads/feature', old: tip, new: null },
    ])
    await world.write((tx) => moveRefs(tx, repo, prepared), mel)
    expect(pull(number).status).toBe('closed')
    await world.jobs()
    expect(pull(number)).toMatchObject({
      status: 'merged',
      merged_by: mel.id,
      merge_commit_sha: tip,
    })
  })

  test('a push that does not hold it leaves it behind', async () => {
    const { world, otto, ready, pull, ref } = await makePullWorld()
    const number = await ready(otto)
    await world.commit(REPO, 'main', { 'a.txt': text({ 1: 'theirs' }) })
    await world.jobs()
    expect(pull(number)).toMatchObject({ status: 'open', base_sha: ref('main') })
    expect(await world.call(getPull, otto, { repo: REPO, number })).toMatchObject({
      behind: { by: 1, base_sha: ref('main') },
      blockers: [{ code: 'base_moved' }],
    })
  })
})

test('comments on lines that a push rewrites are outdated, others are not', async () => {
  const { world, mel, otto, ready, fork, number } = { ...(await makePullWorld()), number: 1 }
  await ready(otto, { 'a.txt': text({ 5: 'five', 15: 'fifteen' }) })
  for (const line of [5, 15])
    await world.call(addComment, mel, {
      repo: REPO,
      number,
      body: `On ${line}`,
      path: 'a.txt',
      line,
    })
  await world.commit(
    fork(number),
    'main',
    { 'a.txt': text({ 1: 'new\nline 1', 5: 'better', 15: 'fifteen' }) },
    { as: otto },
  )
  await world.jobs()
  const { items } = await world.call(listComments, mel, { repo: REPO, number })
  expect(items.map(({ body, outdated }) => [body, outdated])).toEqual([
    ['On 5', true],
    ['On 15', false],
  ])
  expect(items.every(({ commit }) => commit !== null)).toBe(true)
})

test('a comment shows in the time of its pull request', async () => {
  const { world, mel, otto, draft, pull } = await makePullWorld()
  const number = await draft(otto)
  world.clock.advance(60_000)
  await world.call(addComment, mel, { repo: REPO, number, body: 'Hello' })
  expect(pull(number).updated_at).toBe(new Date(world.clock.now()).toISOString())
})
