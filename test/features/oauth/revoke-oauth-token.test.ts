import { expect, test } from 'bun:test'
import { createSettingsToken } from '#features/accounts/index.ts'
import { client, oauthErrorOf, runForge } from './running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
const status = async (token: string) =>
  (await forge.get('/api/v1/user', { authorization: `Bearer ${token}` })).status

test('the holder of a token revokes it; the response reveals nothing', async () => {
  const app = await client(forge)
  const first = await app.signIn('ada')
  const answer = await forge.post(
    '/oauth/revoke',
    new URLSearchParams({ token: first.access_token, token_type_hint: 'access_token' }),
  )
  expect([answer.status, await answer.text()]).toEqual([200, ''])
  expect(await status(first.access_token)).toBe(401)
  expect(await oauthErrorOf(await app.refresh(first.refresh_token))).toEqual([400, 'invalid_grant'])

  const second = await app.signIn('ada')
  expect((await forge.post('/api/oauth/revoke', { token: second.refresh_token })).status).toBe(200)
  expect(await status(second.access_token)).toBe(401)

  for (const token of ['nonsense', first.access_token, `hthu_${'0'.repeat(46)}`])
    expect((await forge.post('/oauth/revoke', { token })).status).toBe(200)
  expect(await oauthErrorOf(await forge.post('/oauth/revoke', {}))).toEqual([
    400,
    'invalid_request',
  ])
})

test('a token created in the settings is not revoked here', async () => {
  const { secret } = await forge.call(createSettingsToken, ada, { name: 'laptop' })
  expect(await oauthErrorOf(await forge.post('/oauth/revoke', { token: secret ?? '' }))).toEqual([
    400,
    'unsupported_token_type',
  ])
  expect(await status(secret ?? '')).toBe(200)
})
