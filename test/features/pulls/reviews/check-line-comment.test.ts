import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('a comment on a line stands on the present head, and only on lines of the change', async () => {
  const { world, mel, otto, draft, pull, count } = await makePullWorld()
  const number = await draft(otto, { 'a.txt': text({ 10: 'ten' }), 'b.txt': null })
  const add = (path: string, line: number, side?: 'new' | 'old') =>
    world.call(addComment, mel, { repo: REPO, number, body: 'x', path, line, side })
  expect(await add('a.txt', 7)).toMatchObject({
    path: 'a.txt',
    line: 7,
    side: 'new',
    commit: pull(number).head_sha,
    outdated: false,
  })
  expect(await add('b.txt', 1, 'old')).toMatchObject({ side: 'old' })
  expect(await refusal(add('a.txt', 6))).toMatchObject({ status: 422, field: 'line' })
  expect(await refusal(add('b.txt', 1))).toMatchObject({ status: 422, field: 'line' })
  expect(await refusal(add('docs/guide.txt', 1))).toMatchObject({ status: 422, field: 'path' })
  expect(count('comments')).toBe(2)
})

test('a renamed file can be named by its new path, and only its changed lines are in the change', async () => {
  const { world, mel, otto, draft } = await makePullWorld()
  const number = await draft(otto, { 'a.txt': null, 'moved.txt': text({ 10: 'ten' }) })
  const add = (path: string, line: number) =>
    world.call(addComment, mel, { repo: REPO, number, body: 'x', path, line })
  expect(await add('moved.txt', 10)).toMatchObject({ path: 'moved.txt' })
  expect(await refusal(add('moved.txt', 20))).toMatchObject({ status: 422, field: 'line' })
})

test('nothing can be said of lines before something was pushed', async () => {
  const { world, mel, otto, draft } = await makePullWorld()
  const number = await draft(otto, null)
  expect(
    await refusal(
      world.call(addComment, mel, { repo: REPO, number, body: 'x', path: 'a.txt', line: 1 }),
    ),
  ).toMatchObject({ status: 409, reason: 'not_ready' })
})
