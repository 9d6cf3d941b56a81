import { expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { resolveIssue, updateLink } from '#features/issues/index.ts'
import { listLabels } from '#features/issues/labels/list-labels.ts'
import { reopenIssue } from '#features/issues/reopen-issue.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, otto, as, issue, pull, row } = await makeIssueWorld()
const repo = 'acme/site'
const reopen = (caller: typeof ada, number: number) =>
  world.call(reopenIssue, caller, { repo, number })

test('reason and resolved_by are cleared, and superseded pull requests stay closed', async () => {
  const number = await issue({ labels: ['bug'] })
  const [merged, other] = [await pull({ issue: number }), await pull({ issue: number })]
  const bugs = async () =>
    (await world.call(listLabels, ada, { repo })).items.find(({ name }) => name === 'bug')
      ?.issues_count
  await world.write((tx) => {
    resolveIssue(tx, row(repo), number, merged)
    updateLink(tx, row(repo).id, merged, { status: 'merged', merged_by: 'ada' })
    updateLink(tx, row(repo).id, other, { status: 'closed', superseded_by: merged })
  })
  expect(await bugs()).toBe(0)
  expect(await reopen(as('triage'), number)).toMatchObject({
    state: 'open',
    reason: null,
    resolved_by: null,
    closed_at: null,
    closed_by: null,
    pulls: [
      { number: other, status: 'closed' },
      { number: merged, status: 'merged' },
    ],
  })
  expect(await bugs()).toBe(1)
  expect(world.events('issue.reopened')).toMatchObject([{ data: { number } }])
})

test('an open one stays as it is, without an event', async () => {
  const number = await issue()
  const before = world.events().length
  expect((await reopen(ada, number)).state).toBe('open')
  expect(world.events().length).toBe(before)
})

test('the author and those with triage may, others may not', async () => {
  const number = await issue({}, otto)
  await world.call(closeIssue, ada, { repo, number })
  expect(await refusal(reopen(as('read'), number))).toMatchObject({ status: 403, reason: 'role' })
  expect((await reopen(otto, number)).state).toBe('open')
  expect(await refusal(reopen(ada, 9999))).toMatchObject({ status: 404 })
})
