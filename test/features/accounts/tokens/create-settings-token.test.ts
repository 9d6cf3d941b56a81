import { expect, test } from 'bun:test'
import { DAY, timestamp } from '#lib/time.ts'
import { createSettingsToken } from '#features/accounts/tokens/create-settings-token.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'

const world = await makeWorld()
const START = world.clock.at
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.repo('acme/site', { private: true })

test('full rights for a year unless narrowed', async () => {
  const token = await world.call(createSettingsToken, ada, { name: 'laptop' })
  expect(token).toMatchObject({
    source: 'settings',
    scopes: null,
    repos: null,
    expires_at: timestamp(START + 365 * DAY),
  })
  expect(world.hearth.callers.byToken(token.secret ?? '')).toMatchObject({
    id: ada.id,
    token: { scopes: null, repos: null, expires_at: token.expires_at },
  })
})

test('never, days, scopes and repositories can be chosen', async () => {
  const token = await world.call(createSettingsToken, ada, {
    name: 'ci',
    expires: 'never',
    scopes: ['code:read', 'code:read'],
    repos: ['acme/site'],
  })
  expect(token).toMatchObject({ scopes: ['code:read'], repos: ['acme/site'], expires_at: null })
  expect(
    (await world.call(createSettingsToken, ada, { name: 'ci', expires: '7' })).expires_at,
  ).toBe(timestamp(START + 7 * DAY))
})

test('what makes no token is refused by field', async () => {
  const wrong: [object, string][] = [
    [{ expires: '0' }, 'expires'],
    [{ expires: '-1' }, 'expires'],
    [{ expires: 'soon' }, 'expires'],
    [{ name: '' }, 'name'],
    [{ scopes: ['all'] }, 'scopes[0]'],
    [{ repos: ['acme/none'] }, 'repos[0]'],
  ]
  for (const [input, field] of wrong)
    expect(
      (await refusal(world.call(createSettingsToken, ada, { name: 'x', ...input }))).field,
    ).toBe(field)
})

test('a token cannot create a token with full rights', async () => {
  expect(
    (await refusal(world.call(createSettingsToken, withToken(ada, {}), { name: 'x' }))).reason,
  ).toBe('person_required')
})

test('somebody who has not confirmed the address yet may have a token, which reads', async () => {
  const bob = await world.user('bob', { verified: false })
  expect((await world.call(createSettingsToken, bob, { name: 'x' })).secret).toStartWith('hthu_')
})
