/** What people choose to hear of, and their stars. */
import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getIssueSubscription } from '#features/notifications/get-issue-subscription.ts'
import { getSubscription } from '#features/notifications/get-subscription.ts'
import { standingOf } from '#features/notifications/index.ts'
import { setIssueSubscription } from '#features/notifications/set-issue-subscription.ts'
import { setSubscription } from '#features/notifications/set-subscription.ts'
import { starRepo } from '#features/notifications/star-repo.ts'
import { unstarRepo } from '#features/notifications/unstar-repo.ts'
import { getRepo } from '#features/repos/get-repo.ts'
import { setRepoVisibility } from '#features/repos/set-repo-visibility.ts'
import { MINUTE } from '#lib/time.ts'
import { agentOf, refusal, workspaceCaller } from '../../world.ts'
import { makeNotificationWorld } from './fixture.ts'

test('get_subscription and set_subscription: participating until another level is chosen', async () => {
  const { world, mel, otto, site, workspace } = await makeNotificationWorld()
  expect(await world.call(getSubscription, mel, { repo: 'acme/site' })).toEqual({
    level: 'participating',
    repo: 'acme/site',
    created_at: null,
  })
  expect(await world.call(setSubscription, mel, { repo: 'acme/site', level: 'all' })).toEqual({
    level: 'all',
    repo: 'acme/site',
    created_at: '2026-03-01T12:00:00.000Z',
  })
  world.clock.advance(MINUTE)
  expect(
    (await world.call(setSubscription, mel, { repo: 'acme/site', level: 'all' })).created_at,
  ).toBe('2026-03-01T12:00:00.000Z')
  expect(
    (await world.call(setSubscription, mel, { repo: 'acme/site', level: 'releases' })).created_at,
  ).toBe('2026-03-01T12:01:00.000Z')
  expect((await world.call(getSubscription, otto, { repo: 'acme/site' })).level).toBe(
    'participating',
  )
  expect(
    (await refusal(world.call(setSubscription, otto, { repo: 'acme/vault', level: 'all' }))).code,
  ).toBe('not_found')
  expect((await refusal(world.call(getSubscription, otto, { repo: 'acme/vault' }))).code).toBe(
    'not_found',
  )
  expect(
    (await refusal(world.call(setSubscription, mel, { repo: 'acme/site', level: 'some' as 'all' })))
      .field,
  ).toBe('level')
  expect((await refusal(world.call(getSubscription, anonymous, { repo: 'acme/site' }))).code).toBe(
    'unauthenticated',
  )
  expect(
    (
      await refusal(
        world.call(setSubscription, agentOf(mel, site, { id: 'agt_1' }), {
          repo: 'acme/site',
          level: 'all',
        }),
      )
    ).reason,
  ).toBe('person_required')
  expect(
    (
      await refusal(
        world.call(getSubscription, workspaceCaller(workspace, { scopes: null }), {
          repo: 'acme/site',
        }),
      )
    ).reason,
  ).toBe('person_required')
})

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

test('star_repo and unstar_repo: counted once each, hidden from a private repository with those who lost sight of it', async () => {
  const { world, ada, mel, otto, site } = await makeNotificationWorld()
  const count = async () => (await world.call(getRepo, ada, { repo: 'acme/site' })).stars_count
  for (const person of [mel, mel, otto]) await world.call(starRepo, person, { repo: 'acme/site' })
  expect(await count()).toBe(2)
  expect(standingOf(world.hearth, otto, site.id)).toEqual({ starred: true, level: 'participating' })
  expect(standingOf(world.hearth, ada, site.id)).toEqual({ starred: false, level: 'participating' })
  await world.call(setRepoVisibility, ada, {
    repo: 'acme/site',
    private: true,
    confirm: 'acme/site',
  })
  expect(await count()).toBe(1)
  await world.call(setRepoVisibility, ada, {
    repo: 'acme/site',
    private: false,
    confirm: 'acme/site',
  })
  expect(await count()).toBe(2)
  await world.call(unstarRepo, mel, { repo: 'acme/site' })
  await world.call(unstarRepo, mel, { repo: 'acme/site' })
  expect(await count()).toBe(1)
  // One's own star can be taken back when one sees the repository no more, and then there is
  // nothing to find.
  await world.call(setRepoVisibility, ada, {
    repo: 'acme/site',
    private: true,
    confirm: 'acme/site',
  })
  await world.call(unstarRepo, otto, { repo: 'acme/site' })
  expect((await refusal(world.call(unstarRepo, otto, { repo: 'acme/site' }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(starRepo, otto, { repo: 'acme/vault' }))).code).toBe('not_found')
  expect((await refusal(world.call(unstarRepo, otto, { repo: 'acme/nothing' }))).code).toBe(
    'not_found',
  )
  expect(
    (
      await refusal(
        world.call(starRepo, agentOf(mel, site, { id: 'agt_1' }), { repo: 'acme/site' }),
      )
    ).reason,
  ).toBe('person_required')
})
