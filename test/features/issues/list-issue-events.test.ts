import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { listIssueEvents } from '#features/issues/list-issue-events.ts'
import { reopenIssue } from '#features/issues/reopen-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'

test('everything about one issue, newest first, each in one line', async () => {
  const number = await issue({}, otto)
  await issue()
  await world.call(updateIssue, ada, {
    repo,
    number,
    labels: ['bug'],
    blocked_by: [],
    assignees: ['ada'],
  })
  await world.call(addComment, otto, { repo, number, body: 'Thanks' })
  await world.call(closeIssue, ada, { repo, number, reason: 'not_planned' })
  await world.call(reopenIssue, otto, { repo, number })
  const list = (input: object = {}) =>
    world.call(listIssueEvents, anonymous, { repo, number, ...input })
  const { items } = await list()
  expect(items.map(({ summary }) => summary)).toEqual([
    `otto reopened issue #${number}`,
    `ada closed issue #${number} as not planned`,
    `otto commented on #${number}`,
    `ada assigned issue #${number} to ada`,
    `ada changed labels of issue #${number}`,
    `otto opened issue #${number}`,
  ])
  expect(items[0]).toMatchObject({
    type: 'issue.reopened',
    repository: { full_name: repo },
    actor: { username: 'otto' },
    url: `https://hearth.test/acme/site/issues/${number}`,
  })
  const first = await list({ per_page: 4 })
  expect([...first.items, ...(await list({ per_page: 4, before: first.next })).items]).toEqual(
    items,
  )
  expect(await refusal(list({ page: 2 }))).toMatchObject({ status: 422, field: 'page' })
})

test('what is not there or not visible gives 404', async () => {
  expect(await refusal(world.call(listIssueEvents, ada, { repo, number: 999 }))).toMatchObject({
    status: 404,
  })
  const number = await issue({}, ada, 'acme/vault')
  expect(
    await refusal(world.call(listIssueEvents, otto, { repo: 'acme/vault', number })),
  ).toMatchObject({ status: 404 })
})
