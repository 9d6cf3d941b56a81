import { expect, test } from 'bun:test'
import { listApplications } from '#features/oauth/list-applications.ts'
import { client, runForge } from './running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
const user = (token: string) => forge.get('/api/v1/user', { authorization: `Bearer ${token}` })

test('approved applications are listed once each, with what they may do', async () => {
  const app = await client(forge, { name: 'Editor', redirect_uri: 'http://localhost/cb' })
  await app.decide('ada')
  // A code that was not exchanged gives no access.
  expect((await forge.call(listApplications, ada, {})).items).toEqual([])
  const { access_token } = await app.signIn('ada', { scope: 'repo:read' })
  await app.signIn('ada', { scope: 'code:read' })
  await user(access_token)
  // The last use is recorded after the response.
  await forge.write(() => {})
  const { items } = await forge.call(listApplications, ada, {})
  expect(items).toEqual([
    {
      id: expect.stringMatching(/^app_/),
      name: 'Editor',
      host: 'localhost',
      url: null,
      scopes: ['code:read', 'repo:read'],
      approved_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
    },
  ])
  expect((await forge.call(listApplications, await forge.user('bob'), {})).items).toEqual([])
  const rest = (await (
    await forge.get('/api/user/applications', {
      authorization: `Bearer ${(await app.signIn('ada')).access_token}`,
    })
  ).json()) as unknown[]
  expect(rest.length).toBe(1)
})
