import { expect, test } from 'bun:test'
import { lockIssue } from '#features/issues/lock-issue.ts'
import { unlockIssue } from '#features/issues/unlock-issue.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, otto, as, issue } = await makeIssueWorld()
const repo = 'acme/site'

test('unlocking clears the lock and its reason; it needs write', async () => {
  const number = await issue({}, otto)
  await world.call(lockIssue, as('write'), { repo, number, reason: 'spam' })
  expect(await refusal(world.call(unlockIssue, otto, { repo, number }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await world.call(unlockIssue, as('write'), { repo, number })).toMatchObject({
    locked: false,
    lock_reason: null,
  })
  expect(await refusal(world.call(unlockIssue, as('write'), { repo, number: 999 }))).toMatchObject({
    status: 404,
  })
})
