import { expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { triageIssue } from '#features/triage/triage-issue.ts'
import { refusal } from '../../world.ts'
import { makeTriageWorld, proposes } from './fixture.ts'

const DOCS = proposes({ labels: [{ name: 'docs', reason: 'Text.' }] })
const BUG = proposes({ labels: [{ name: 'bug', reason: 'Fails.' }] })

test('reads an issue again, and replaces what nobody decided on', async () => {
  const { world, ada, eve, set, open, read, decide } = await makeTriageWorld([DOCS, BUG, BUG])
  const at = await open('Oven')
  const off = await refusal(world.call(triageIssue, ada, at))
  expect([off.status, off.reason]).toEqual([409, 'triage_off'])
  await set('propose')
  for (const expected of ['docs', 'bug']) {
    expect((await world.call(triageIssue, ada, at)).status).toBe('waiting')
    await world.jobs()
    expect((await read(at)).proposals.map(({ label }) => label)).toEqual([expected])
  }
  await decide(at, 'label')
  await world.call(triageIssue, ada, at)
  await world.jobs()
  // The label is there, so it is not proposed again.
  expect((await read(at)).proposals.map(({ state }) => state)).toEqual(['accepted'])
  expect((await refusal(world.call(triageIssue, eve, at))).status).toBe(403)
})

test('a press in a loop has an end, and closed issues are not read', async () => {
  const { world, ada, set, open, provider } = await makeTriageWorld([])
  await set('propose')
  const at = await open('Oven', { as: ada })
  for (let times = 1; times < 10; times++) {
    await world.call(triageIssue, ada, at)
    // While it waits, another press adds nothing.
    await world.call(triageIssue, ada, at)
    await world.jobs()
  }
  expect(provider.asked.length).toBe(10)
  expect((await refusal(world.call(triageIssue, ada, at))).reason).toBe('limit_reached')
  const other = await open('Closed', { as: ada })
  await world.call(closeIssue, ada, other)
  expect((await refusal(world.call(triageIssue, ada, other))).reason).toBe('closed')
})

test('does not spend once the setting is off again', async () => {
  const { world, ada, set, open, read, provider } = await makeTriageWorld([])
  await set('propose')
  const at = await open('Oven', { as: ada })
  await world.call(triageIssue, ada, at)
  await set('off')
  await world.jobs()
  expect(provider.asked.length).toBe(1)
  expect(await read(at)).toMatchObject({ status: 'failed', error: { code: 'not_read' } })
})
