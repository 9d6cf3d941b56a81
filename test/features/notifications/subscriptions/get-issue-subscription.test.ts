import { expect, test } from 'bun:test'
import { getIssueSubscription } from '#features/notifications/subscriptions/get-issue-subscription.ts'
import { refusal } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('get_issue_subscription gives the reason of a subscription, or none', async () => {
  const { world, issue, told, ada, mel } = await makeNotificationWorld()
  const number = await issue(ada)
  await told(ada)
  const input = { repo: 'acme/site', number }
  expect(await world.call(getIssueSubscription, ada, input)).toMatchObject({
    subscribed: true,
    reason: 'author',
  })
  expect(await world.call(getIssueSubscription, mel, input)).toMatchObject({
    subscribed: false,
    reason: null,
  })
  expect(
    (await refusal(world.call(getIssueSubscription, mel, { repo: 'acme/site', number: 99 }))).code,
  ).toBe('not_found')
})
