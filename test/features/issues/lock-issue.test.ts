import { expect, test } from 'bun:test'
import { lockIssue } from '#features/issues/lock-issue.ts'
import { unlockIssue } from '#features/issues/unlock-issue.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, otto, as, issue } = await makeIssueWorld()
const repo = 'acme/site'
const changes = (number: number) =>
  world
    .events('issue.updated')
    .filter(({ data }) => data.number === number)
    .map(({ data }) => data.changed)

test('locking keeps the reason, locking again changes only it, unlocking clears both', async () => {
  const number = await issue()
  expect(await world.call(lockIssue, as('write'), { repo, number })).toMatchObject({
    locked: true,
    lock_reason: null,
  })
  expect(await world.call(lockIssue, as('write'), { repo, number, reason: 'spam' })).toMatchObject({
    locked: true,
    lock_reason: 'spam',
  })
  await world.call(lockIssue, as('write'), { repo, number, reason: 'spam' })
  expect(await world.call(unlockIssue, as('write'), { repo, number })).toMatchObject({
    locked: false,
    lock_reason: null,
  })
  await world.call(unlockIssue, as('write'), { repo, number })
  expect(changes(number)).toEqual([['locked'], ['lock_reason'], ['locked', 'lock_reason']])
})

test('any short text is a reason', async () => {
  const number = await issue()
  const lock = (reason: string) => world.call(lockIssue, as('write'), { repo, number, reason })
  expect((await lock('  settled in #12 ')).lock_reason).toBe('settled in #12')
  expect((await lock('x'.repeat(80))).lock_reason).toHaveLength(80)
  expect((await lock(' ')).lock_reason).toBeNull()
  for (const reason of ['x'.repeat(81), 'two\nlines'])
    expect(await refusal(lock(reason))).toMatchObject({ status: 422, field: 'reason' })
})

test('it needs write, also for the author', async () => {
  const number = await issue({}, otto)
  for (const caller of [otto, as('triage')]) {
    expect(await refusal(world.call(lockIssue, caller, { repo, number }))).toMatchObject({
      status: 403,
      reason: 'role',
    })
    expect(await refusal(world.call(unlockIssue, caller, { repo, number }))).toMatchObject({
      status: 403,
      reason: 'role',
    })
  }
  expect(await refusal(world.call(lockIssue, as('write'), { repo, number: 999 }))).toMatchObject({
    status: 404,
  })
  expect(changes(number)).toEqual([])
})
