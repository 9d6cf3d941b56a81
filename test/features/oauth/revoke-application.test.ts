import { expect, test } from 'bun:test'
import { listApplications } from '#features/oauth/list-applications.ts'
import { revokeApplication } from '#features/oauth/revoke-application.ts'
import { refusal } from '../../world.ts'
import { client, oauthErrorOf, runForge } from './running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
const user = (token: string) => forge.get('/api/v1/user', { authorization: `Bearer ${token}` })

test('revoking an application ends all its access; others cannot revoke it', async () => {
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
