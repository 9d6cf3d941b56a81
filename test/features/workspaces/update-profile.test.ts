import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getUser } from '#features/accounts/people/get-user.ts'
import { updateProfile } from '#features/workspaces/update-profile.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'
import { auditedActions } from '../accounts/audited.ts'

const world = await makeWorld()

test('what is given changes, what is empty is cleared, the rest stays', async () => {
  const ada = await world.user('ada')
  const changed = await world.call(updateProfile, ada, {
    name: '  Ada   Lovelace ',
    bio: 'Counts.\r\nWrites.',
    website: 'example.com/ada',
    time_zone: 'Europe/London',
    language: 'en-gb',
    pronouns: 'she/her',
  })
  expect(changed).toMatchObject({
    username: 'ada',
    name: 'Ada Lovelace',
    bio: 'Counts.\nWrites.',
    website: 'https://example.com/ada',
    time_zone: 'Europe/London',
    language: 'en-GB',
    company: null,
  })
  const again = await world.call(updateProfile, ada, { bio: '', website: null })
  expect(again).toMatchObject({
    name: 'Ada Lovelace',
    bio: null,
    website: null,
    pronouns: 'she/her',
  })
  expect(await world.call(getUser, anonymous, { username: 'ada' })).toMatchObject({
    name: 'Ada Lovelace',
    bio: null,
  })
  expect(auditedActions(world, ada.id)).toEqual(['user.profile_changed', 'user.profile_changed'])
  // A change to the same values writes no audit entry.
  await world.call(updateProfile, ada, { name: 'Ada Lovelace' })
  expect(auditedActions(world, ada.id)).toHaveLength(2)
})

test('what cannot be is refused by its name, and nothing changes', async () => {
  const bob = await world.user('bob')
  for (const [field, value] of [
    ['website', 'javascript:alert(1)'],
    ['website', 'https://a:b@c.test'],
    ['time_zone', 'Mars/Base'],
    ['language', '!!'],
    ['bio', 'x'.repeat(281)],
    ['name', 'x'.repeat(81)],
    ['pronouns', 'x'.repeat(41)],
  ] as const) {
    const error = await refusal(
      world.call(updateProfile, bob, { company: 'changed', [field]: value }),
    )
    expect([error.code, error.field]).toEqual(['invalid', field])
  }
  expect((await world.call(getUser, anonymous, { username: 'bob' })).company).toBeNull()
  expect((await refusal(world.call(updateProfile, bob, {}))).code).toBe('invalid')
  expect(
    (
      await refusal(
        world.call(updateProfile, withToken(bob, { scopes: ['user:read'] }), { name: 'x' }),
      )
    ).reason,
  ).toBe('scope')
})

test('theme and language of the website are words that it knows', async () => {
  const bob = await world.user('bob')
  const changed = await world.call(updateProfile, bob, { theme: 'dark', locale: 'DE-at' })
  expect([changed.theme, changed.locale]).toEqual(['dark', 'de-AT'])
  for (const [field, value] of [
    ['theme', 'pink'],
    ['locale', 'no such language'],
  ] as const) {
    const error = await refusal(world.call(updateProfile, bob, { [field]: value }))
    expect([error.code, error.field]).toEqual(['invalid', field])
  }
  const cleared = await world.call(updateProfile, bob, { theme: null, locale: '' })
  expect([cleared.theme, cleared.locale]).toEqual([null, null])
})
