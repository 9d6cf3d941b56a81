import { expect, test } from 'bun:test'
import { getIssueSubscription } from '#features/notifications/subscriptions/get-issue-subscription.ts'
import { setIssueSubscription } from '#features/notifications/subscriptions/set-issue-subscription.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { refusal } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('set_issue_subscription and get_issue_subscription', async () => {
  const { world, issue, comment, told, ada, mel, otto } = await makeNotificationWorld()
  const number = await issue(ada)
  const at = { repo: 'acme/site', number }
  await told(ada)
  expect(await world.call(getIssueSubscription, ada, at)).toMatchObject({
    subscribed: true,
    reason: 'author',
  })
  expect(await world.call(getIssueSubscription, mel, at)).toEqual({
    ...at,
    subscribed: false,
    reason: null,
    created_at: null,
  })
  expect(await world.call(setIssueSubscription, mel, { ...at, subscribed: true })).toMatchObject({
    subscribed: true,
    reason: 'subscribed',
  })
  await world.call(setIssueSubscription, mel, { ...at, subscribed: false })
  // What is said afterwards does not undo the choice.
  await comment(mel, number, 'A last word.')
  await told(mel)
  expect(await world.call(getIssueSubscription, mel, at)).toMatchObject({
    subscribed: false,
    reason: null,
  })
  await world.call(setSubscription, otto, { repo: 'acme/site', level: 'all' })
  expect(await world.call(getIssueSubscription, otto, at)).toMatchObject({
    subscribed: true,
    reason: 'subscribed',
  })
  expect(
    (
      await refusal(
        world.call(setIssueSubscription, mel, { repo: 'acme/site', number: 99, subscribed: true }),
      )
    ).code,
  ).toBe('not_found')
  expect(
    (await refusal(world.call(getIssueSubscription, mel, { repo: 'acme/site', number: 99 }))).code,
  ).toBe('not_found')
  expect(
    (
      await refusal(
        world.call(setIssueSubscription, otto, { repo: 'acme/vault', number: 1, subscribed: true }),
      )
    ).code,
  ).toBe('not_found')
})
