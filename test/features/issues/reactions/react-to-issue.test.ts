import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { reactToIssue } from '#features/issues/reactions/react-to-issue.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, mel, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'
const number = await issue()

test('each person counts once for each reaction, and nobody is told', async () => {
  const events = world.events().length
  await world.call(reactToIssue, otto, { repo, number, content: '+1' })
  await world.call(reactToIssue, otto, { repo, number, content: '+1' })
  await world.call(reactToIssue, ada, { repo, number, content: 'eyes' })
  expect(await world.call(reactToIssue, mel, { repo, number, content: '+1' })).toEqual({
    '+1': 2,
    '-1': 0,
    laugh: 0,
    hooray: 0,
    confused: 0,
    heart: 0,
    rocket: 0,
    eyes: 1,
  })
  expect(world.events().length).toBe(events)
})

test('other words, strangers and unknown numbers are refused', async () => {
  const give = (caller: typeof otto | typeof anonymous, input: object) =>
    refusal(world.call(reactToIssue, caller, { repo, number, content: 'heart', ...input }))
  expect(await give(otto, { content: 'thumbs' })).toMatchObject({ status: 422, field: 'content' })
  expect(await give(anonymous, {})).toMatchObject({ status: 401 })
  expect(await give(otto, { number: 4_000_000 })).toMatchObject({ status: 404 })
  expect(await give(otto, { repo: 'acme/vault' })).toMatchObject({ status: 404 })
})
