import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { listIssueEvents } from '#features/issues/list-issue-events.ts'
import { setTasks } from '#features/pulls/lifecycle/set-tasks.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { sha256 } from '#lib/hash.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

const { world, ada, mel, otto, draft, pull } = await makePullWorld()
const TEXT = '- [ ] one\n- [x] two\n'
const DONE = '- [x] one\n- [ ] two\n'
const { number } = await world.call(createIssue, otto, { repo: REPO, title: 'List', body: TEXT })
const body = async () => (await world.call(getIssue, ada, { repo: REPO, number })).issue.body
const set = (caller: typeof ada, input: object) =>
  world.call(setTasks, caller, { repo: REPO, number, done: [0], digest: sha256(TEXT), ...input })

test('changes the description and says so, once', async () => {
  const answer = await set(otto, {})
  expect(answer).toEqual({ tasks: 2, done: 1, digest: sha256(DONE) })
  expect(await body()).toBe(DONE)
  await set(otto, { digest: answer.digest })
  const { items } = await world.call(listIssueEvents, ada, { repo: REPO, number })
  expect(items.filter(({ type }) => type === 'issue.updated')).toHaveLength(1)
})

test('refuses a text that has changed since, and tasks that it does not have', async () => {
  expect(await refusal(set(otto, {}))).toMatchObject({ status: 409, reason: 'head_moved' })
  expect(await refusal(set(otto, { done: [2], digest: sha256(DONE) }))).toMatchObject({
    status: 422,
    field: 'done',
  })
  expect(await body()).toBe(DONE)
})

test('is for those who may edit the text', async () => {
  expect(await refusal(set(mel, { digest: sha256(DONE) }))).toMatchObject({ status: 403 })
  await set(ada, { digest: sha256(DONE), done: [0, 1] })
  expect(await body()).toBe('- [x] one\n- [x] two\n')
})

test('changes comments and pull requests too, and no comment of another number', async () => {
  const comment = await world.call(addComment, mel, { repo: REPO, number, body: TEXT })
  await set(mel, { comment: comment.id })
  const { items } = await world.call(listComments, ada, { repo: REPO, number })
  expect(items.at(-1)?.body).toBe(DONE)
  const other = await draft(otto)
  expect(await refusal(set(mel, { comment: comment.id, number: other }))).toMatchObject({
    status: 404,
  })
  await world.call(updatePull, otto, { repo: REPO, number: other, body: TEXT })
  await set(otto, { number: other })
  expect(pull(other).body).toBe(DONE)
  expect(await refusal(set(otto, { number: 999 }))).toMatchObject({ status: 404 })
})
