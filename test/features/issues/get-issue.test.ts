import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { setRecordTitle, updateLink } from '#features/issues/index.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, otto, issue, pull, row } = await makeIssueWorld()
const repo = 'acme/site'
const get = (number: number, caller: typeof ada | typeof anonymous = anonymous, name = repo) =>
  world.call(getIssue, caller, { repo: name, number })

test('the detail holds the issue, its pull requests newest first, and its comments oldest first', async () => {
  const number = await issue({ title: 'Leak' })
  const first = await pull({ issue: number, title: 'Try one' })
  const second = await pull({ issue: number, title: 'Try two', agent: 'claude' })
  await pull({ title: 'Something else' })
  await world.call(addComment, otto, { repo, number, body: 'First' })
  await world.call(addComment, ada, { repo, number, body: 'Second' })
  const { id } = row(repo)
  await world.write((tx) => {
    setRecordTitle(tx, id, second, 'Try two, better')
    updateLink(tx, id, second, { status: 'merged', merged_by: 'ada' })
    updateLink(tx, id, first, { status: 'closed', superseded_by: second })
  })
  const detail = await get(number)
  expect(detail.issue).toMatchObject({
    number,
    comments_count: 2,
    pulls: [
      { number: second, status: 'merged' },
      { number: first, status: 'closed' },
    ],
  })
  expect(detail.pulls).toMatchObject([
    {
      number: second,
      status: 'merged',
      title: 'Try two, better',
      agent: 'claude',
      merged_by: 'ada',
      author: { username: 'otto' },
    },
    { number: first, status: 'closed', title: 'Try one', agent: null, superseded_by: second },
  ])
  expect('superseded_by' in detail.pulls[0]!).toBe(false)
  expect('merged_by' in detail.pulls[1]!).toBe(false)
  expect(detail.comments.map(({ body }) => body)).toEqual(['First', 'Second'])
  expect(detail.comments_count).toBe(2)
})

test('the detail holds at most 100 comments and says how many there are', async () => {
  const number = await issue()
  for (let at = 1; at <= 101; at++)
    await world.call(addComment, ada, { repo, number, body: `Comment ${at}` })
  const detail = await get(number)
  expect(detail.comments).toHaveLength(100)
  expect(detail.comments[0]?.body).toBe('Comment 1')
  expect(detail.comments_count).toBe(101)
})

test('what is no issue gives 404, which names the call for a pull request', async () => {
  expect(await refusal(get(9999))).toMatchObject({ status: 404 })
  expect((await refusal(get(await pull()))).message).toContain('get_pull')
  const hidden = await issue({}, ada, 'acme/vault')
  expect(await refusal(get(hidden, otto, 'acme/vault'))).toMatchObject({ status: 404 })
  expect(await refusal(get(0))).toMatchObject({ status: 422, field: 'number' })
})
