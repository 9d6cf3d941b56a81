import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { resolveComment } from '#features/issues/comments/resolve-comment.ts'
import { listReviewThreads } from '#features/pulls/reviews/list-review-threads.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('each conversation stands where its line is now', async () => {
  const { world, mel, otto, ready, fork } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: 'three', 12: 'twelve' }) })
  const on = (line: number, body: string) =>
    world.call(addComment, mel, { repo: REPO, number, body, path: 'a.txt', line })
  const [first, second] = [await on(3, 'one'), await on(12, 'two')]
  await world.call(addComment, otto, { repo: REPO, number, body: 'answer', in_reply_to: second.id })
  const threads = () => world.call(listReviewThreads, otto, { repo: REPO, number })
  expect(
    (await threads()).map(({ path, line, comments }) => [
      path,
      line,
      comments.map(({ body }) => body),
    ]),
  ).toEqual([
    ['a.txt', 3, ['one']],
    ['a.txt', 12, ['two', 'answer']],
  ])
  await world.call(resolveComment, otto, { repo: REPO, id: second.id })
  await world.commit(
    fork(number),
    'main',
    { 'a.txt': `top\n${text({ 3: 'drei', 12: 'twelve' })}` },
    { as: otto },
  )
  await world.jobs()
  expect(
    (await threads()).map(({ line, resolved, comments }) => [line, resolved, comments[0]?.id]),
  ).toEqual([
    [null, false, first.id],
    [13, true, second.id],
  ])
})

test('follows a file to its new name', async () => {
  const { world, mel, otto, ready, fork } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: 'three' }) })
  await world.call(addComment, mel, { repo: REPO, number, body: 'one', path: 'a.txt', line: 3 })
  await world.commit(
    fork(number),
    'main',
    { 'a.txt': null, 'z.txt': text({ 3: 'three' }) },
    { as: otto },
  )
  expect(
    (await world.call(listReviewThreads, otto, { repo: REPO, number })).map(({ path, line }) => [
      path,
      line,
    ]),
  ).toEqual([['z.txt', 3]])
})
