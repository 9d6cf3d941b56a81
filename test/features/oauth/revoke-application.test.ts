import { expect, test } from 'bun:test'
import { listApplications } from '#features/oauth/list-applications.ts'
import { revokeApplication } from '#features/oauth/revoke-application.ts'
import { refusal } from '../../world.ts'
import { client, oauthErrorOf, runForge } from './running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
const user = (token: string) => forge.get('/api/v1/user', { authorization: `Bearer ${token}` })

test('approved applications are listed once each, with what they may do', async () => {
  const app = await client(forge, { name: 'Editor', redirect_uri: 'http://localhost/cb' })
  await app.decide('ada')
  // A code alone is no access yet.
  expect((await forge.call(listApplications, ada, {})).items).toEqual([])
  const { access_token } = await app.signIn('ada', { scope: 'repo:read' })
  await app.signIn('ada', { scope: 'code:read' })
  await user(access_token)
  // The use is noted after the answer.
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

test('taking an application back ends all its access at once, and nobody else can', async () => {
  const app = await client(forge, { name: 'Taken back' })
  const [one, two] = [await app.signIn('ada'), await app.signIn('ada')]
  const pending = (await app.decide('ada')).get('code') ?? ''
  const others = await app.signIn('bob')
  const { items } = await forge.call(listApplications, ada, {})
  const id = items.find(({ name }) => name === 'Taken back')?.id ?? ''
  expect((await refusal(forge.call(revokeApplication, await forge.user('bob'), { id }))).code).toBe(
    'not_found',
  )
  expect((await user(one.access_token)).status).toBe(200)

  const browser = await forge.browser('ada')
  const { html } = await browser.open('/settings/applications')
  expect(html).toContain('Taken back')
  const form = html.slice(html.lastIndexOf('<form', html.indexOf(`value="${id}"`)))
  const { status, location } = await browser.press(form, '/settings/applications/revoke', {})
  expect([status, location]).toEqual([303, '/settings/applications'])
  for (const { access_token, refresh_token } of [one, two]) {
    expect((await user(access_token)).status).toBe(401)
    expect(await oauthErrorOf(await app.refresh(refresh_token))).toEqual([400, 'invalid_grant'])
  }
  expect(await oauthErrorOf(await app.exchange(pending))).toEqual([400, 'invalid_grant'])
  expect((await user(others.access_token)).status).toBe(200)
  expect((await browser.open('/settings/applications')).html).not.toContain('Taken back')
  expect(
    forge.hearth.db.all(`SELECT * FROM audit_log WHERE action = 'application.revoked'`).length,
  ).toBe(1)
})
