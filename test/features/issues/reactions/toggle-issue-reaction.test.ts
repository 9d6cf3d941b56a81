import { expect, test } from 'bun:test'
import { getIssueReactions } from '#features/issues/reactions/get-issue-reactions.ts'
import { toggleIssueReaction } from '#features/issues/reactions/toggle-issue-reaction.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'
const number = await issue()

test('one button gives a reaction and takes it back', async () => {
  const toggle = () => world.call(toggleIssueReaction, otto, { repo, number, content: '-1' })
  const counts = () => world.call(getIssueReactions, otto, { repo, number })
  expect(await toggle()).toEqual({ given: true })
  expect(await counts()).toMatchObject({ '-1': 1 })
  expect(await toggle()).toEqual({ given: false })
  expect(await counts()).toMatchObject({ '-1': 0 })
})
