import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { archiveOf } from './archive.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { refusal } from '../../world.ts'
import { makePullWorld, REPO, text } from './fixture.ts'

test('gives the pull request, its fields at the top, its issue, comments and reviews', async () => {
  const { world, mel, otto, ready, issue } = await makePullWorld()
  const of = await issue()
  const number = await ready(otto, undefined, { issue: of })
  await world.call(addComment, mel, { repo: REPO, number, body: 'Nice' })
  await world.call(reviewPull, mel, {
    repo: REPO,
    number,
    verdict: 'approve',
    comments: [{ path: 'b.txt', line: 1, body: 'Here' }],
  })
  const detail = await world.call(getPull, anonymous, { repo: REPO, number })
  const { issue: _, ...pull } = detail.pull
  expect(detail).toMatchObject(pull)
  expect(detail.pull.issue).toBe(of)
  expect(detail.issue).toMatchObject({
    number: of,
    title: 'It is broken',
    pulls: [{ number, status: 'open' }],
  })
  expect(detail.comments.map(({ body, path }) => [body, path])).toEqual([
    ['Nice', null],
    ['Here', 'b.txt'],
  ])
  expect(detail.reviews).toMatchObject([
    { verdict: 'approve', counted: true, comments: [detail.comments[1]?.id ?? ''] },
  ])
  expect(detail.checks).toEqual({
    sha: detail.head?.sha ?? '',
    status: 'none',
    merge_sha: null,
    started_at: null,
    finished_at: null,
    message: null,
    results: [],
  })
  expect(detail.git).toEqual({
    remote: `https://hearth.test/${REPO}/pull/${number}.git`,
    branch: 'main',
  })
  expect(detail).toMatchObject({
    commits_count: 1,
    changed_files: 1,
    additions: 1,
    deletions: 1,
    comments_count: 2,
    mergeable: 'yes',
    blockers: [],
    approvals: { required: 0, counted: 1 },
  })
})

test('a draft that nobody pushed to has neither head nor changes, and says what is missing', async () => {
  const { world, otto, draft } = await makePullWorld()
  const number = await draft(otto, null)
  const detail = await world.call(getPull, otto, { repo: REPO, number })
  expect(detail).toMatchObject({
    head: null,
    issue: null,
    mergeable: 'unknown',
    merge_base_sha: null,
    behind: { by: 0, conflicts: null },
    overlaps: [],
  })
  expect(detail.blockers.map(({ code }) => code)).toEqual(['draft'])
})

test('overlaps: the same lines before the same file; nothing for other files and for settled ones', async () => {
  const { world, otto, mel, draft, agent, issue } = await makePullWorld()
  const { closePull } = await import('#features/pulls/lifecycle/close-pull.ts')
  const bot = await agent(mel)
  const of = await issue()
  const own = await draft(otto, { 'a.txt': text({ 5: 'own', 6: 'own' }) })
  const lines = await draft(bot, { 'a.txt': text({ 6: 'bot', 7: 'bot' }) }, { issue: of })
  const file = await draft(mel, { 'a.txt': text({ 18: 'far' }) })
  const closed = await draft(mel, { 'a.txt': text({ 5: 'x' }) })
  await draft(mel, { 'b.txt': 'elsewhere\n' })
  await world.call(closePull, mel, { repo: REPO, number: closed })
  await world.jobs()
  const { overlaps } = await world.call(getPull, otto, { repo: REPO, number: own })
  expect(overlaps).toMatchObject([
    {
      number: lines,
      level: 'lines',
      agent: 'bot',
      issue: of,
      status: 'draft',
      paths: [{ path: 'a.txt', ranges: [[6, 6]] }],
    },
    {
      number: file,
      level: 'file',
      agent: null,
      issue: null,
      paths: [{ path: 'a.txt', ranges: [] }],
    },
  ])
  expect(overlaps).toHaveLength(2)
})

test('an archived repository blocks merging', async () => {
  const { world, hearth, ada, otto, ready, row } = await makePullWorld()
  const number = await ready(otto)
  await archiveOf(world, row().id)
  expect(
    (await world.call(getPull, ada, { repo: REPO, number })).blockers.map(({ code }) => code),
  ).toEqual(['archived'])
  expect(hearth.db.one('SELECT 1 FROM pulls WHERE status = ?', 'open')).not.toBeNull()
})

test('is hidden with its repository, and an issue’s number is none of a pull request', async () => {
  const { world, ada, otto, issue } = await makePullWorld()
  const of = await issue()
  expect(await refusal(world.call(getPull, ada, { repo: REPO, number: of }))).toMatchObject({
    status: 404,
    message: `#${of} is an issue, not a pull request: get_issue shows it`,
  })
  await world.repo('acme/vault', { as: ada, private: true })
  await world.commit('acme/vault', 'main', { 'a.txt': 'a\n' })
  const { createPull } = await import('#features/pulls/lifecycle/create-pull.ts')
  await world.call(createPull, ada, { repo: 'acme/vault', title: 'Secret' })
  expect(await refusal(world.call(getPull, otto, { repo: 'acme/vault', number: 1 }))).toMatchObject(
    { status: 404 },
  )
  expect(
    await refusal(world.call(getPull, anonymous, { repo: 'acme/vault', number: 1 })),
  ).toMatchObject({ status: 404 })
})
