import { expect, test } from 'bun:test'
import { reactToIssue } from '#features/issues/reactions/react-to-issue.ts'
import { unreactToIssue } from '#features/issues/reactions/unreact-to-issue.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, mel, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'
const number = await issue()

test('people take back only their own reaction, also one that they never gave', async () => {
  for (const caller of [otto, mel])
    await world.call(reactToIssue, caller, { repo, number, content: 'heart' })
  expect(await world.call(unreactToIssue, otto, { repo, number, content: 'heart' })).toMatchObject({
    heart: 1,
  })
  expect(await world.call(unreactToIssue, otto, { repo, number, content: 'heart' })).toMatchObject({
    heart: 1,
  })
  expect(await world.call(unreactToIssue, mel, { repo, number, content: 'heart' })).toMatchObject({
    heart: 0,
  })
})
