import { expect, test } from 'bun:test'
import { deleteLabel } from '#features/issues/labels/delete-label.ts'
import { listLabels } from '#features/issues/labels/list-labels.ts'
import { refusal } from '../../world.ts'
import { makeTriageWorld, proposes, REPO } from './fixture.ts'

const ALL = proposes({
  labels: [{ name: 'bug', reason: 'It fails.' }],
  duplicates: [{ number: 1, reason: 'Both are about the oven.' }],
  severity: { value: 'high', reason: 'It may burn.' },
  question: { text: 'Which oven is it?', reason: 'There are three.' },
})

test('accepting does what was proposed, in the name of the person', async () => {
  const { ada, set, open, decide, issue } = await makeTriageWorld([ALL])
  await set('propose')
  const at = await open('Oven overheats')
  await decide(at, 'label')
  await decide(at, 'severity')
  await decide(at, 'question')
  expect(await issue(at)).toMatchObject({
    issue: { labels: ['bug', 'severity: high'], state: 'open' },
    comments: [{ body: 'Which oven is it?', author: { id: ada.id } }],
  })
  const { proposals } = await decide(at, 'duplicate')
  expect(await issue(at)).toMatchObject({
    issue: { state: 'closed', reason: 'not_planned' },
    comments: [{}, { body: 'Duplicate of #1.', author: { id: ada.id } }],
  })
  expect(proposals.map(({ state }) => state)).toEqual(Array(4).fill('accepted'))
  expect(proposals.every(({ decided_by }) => decided_by?.id === ada.id)).toBe(true)
})

test('a decision is made once', async () => {
  const { set, open, decide, issue } = await makeTriageWorld([ALL])
  await set('propose')
  const at = await open('Oven overheats')
  await decide(at, 'question')
  await decide(at, 'question')
  expect((await issue(at)).comments.length).toBe(1)
  const late = await refusal(decide(at, 'question', 'dismiss'))
  expect([late.status, late.reason]).toEqual([409, 'decided'])
  await decide(at, 'label', 'dismiss')
  expect((await issue(at)).issue.labels).toEqual([])
  expect((await refusal(decide(at, 'label'))).reason).toBe('decided')
})

test('strangers decide nothing, and a label that is gone is not made again', async () => {
  const { world, ada, eve, set, open, decide, issue } = await makeTriageWorld([ALL])
  await set('propose')
  const at = await open('Oven overheats')
  expect((await refusal(decide(at, 'label', 'accept', eve))).status).toBe(403)
  await world.call(deleteLabel, ada, { repo: REPO, label: 'bug' })
  expect((await refusal(decide(at, 'label'))).reason).toBe('label_gone')
  const { items } = await world.call(listLabels, ada, { repo: REPO })
  expect(items.map(({ name }) => name)).not.toContain('bug')
  expect((await issue(at)).issue.labels).toEqual([])
})
