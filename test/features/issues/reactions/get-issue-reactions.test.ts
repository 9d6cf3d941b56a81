import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getIssueReactions } from '#features/issues/reactions/get-issue-reactions.ts'
import { reactToIssue } from '#features/issues/reactions/react-to-issue.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'
const number = await issue()

test('readers count the reactions of one number alone', async () => {
  const other = await issue()
  await world.call(reactToIssue, otto, { repo, number, content: 'hooray' })
  expect(await world.call(getIssueReactions, otto, { repo, number })).toMatchObject({ hooray: 1 })
  expect(await world.call(getIssueReactions, otto, { repo, number: other })).toMatchObject({
    hooray: 0,
  })
  expect(
    (await refusal(world.call(getIssueReactions, otto, { repo, number: 4_000_000 }))).status,
  ).toBe(404)
  expect(
    (await refusal(world.call(getIssueReactions, anonymous, { repo: 'acme/vault', number })))
      .status,
  ).toBe(404)
})
