/** The page of variables and secrets, as browsers without a script use it. */
import { describe, expect, test } from 'bun:test'
import { openSecrets, variablesFor } from '#features/variables/index.ts'
import { runForge } from '../../features/oauth/running.ts'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  const repo = await forge.repo('acme/site', { as: ada })
  const workspace_id = forge.hearth.facts.repo('acme/site', ada)?.workspace_id ?? ''
  return {
    forge,
    scope: { repo_id: repo.id, workspace_id, environment: null },
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

const VALUE = 'line one\r\nline <two>'

for (const [where, here] of [
  ['a repository', '/acme/site/settings/variables'],
  ['a workspace', '/acme/-/variables'],
] as const) {
  describe(`variables and secrets of ${where}`, () => {
    test('are added, changed and deleted, and no page shows a secret', async () => {
      const { forge, scope, browser, member, visitor } = await setUp()
      for (const other of [member, visitor]) expect((await other.open(here)).status).not.toBe(200)
      const empty = await browser.open(here)
      expect([empty.status, empty.html.includes('No secrets yet')]).toEqual([200, true])

      await browser.press(empty.html, here, { setting: 'region', value: 'eu <west>', note: 'near' })
      await browser.press(empty.html, `${here}/secret`, { setting: 'TOKEN', value: VALUE })
      const { html } = await browser.open(here)
      expect([
        html.includes('eu &lt;west>') || html.includes('eu &lt;west&gt;'),
        html.includes('TOKEN'),
      ]).toEqual([true, true])
      expect([html.includes('line one'), html.includes('&lt;two')]).toEqual([false, false])
      const secrets = () => openSecrets(forge.hearth, scope, null)
      expect([...secrets()]).toEqual([['TOKEN', 'line one\nline <two>']])
      expect([...variablesFor(forge.hearth.db, scope)]).toEqual([['REGION', 'eu <west>']])

      const id = /\?edit=(set_[0-9a-z]+)#[^>]*>Edit TOKEN</.exec(html)?.[1]
      const { html: form } = await browser.open(`${here}?edit=${id}`)
      await browser.press(form, `${here}/secret`, {
        id: id ?? '',
        setting: 'TOKEN',
        value: '',
        note: 'kept',
      })
      expect([...secrets()]).toEqual([['TOKEN', 'line one\nline <two>']])
      await browser.press(form, `${here}/secret/delete`, { setting: 'TOKEN', id: id ?? '' })
      expect([...secrets()]).toEqual([])
    })

    test('a refused form keeps what was typed, but not the value of a secret', async () => {
      const { browser } = await setUp()
      const { html } = await browser.open(here)
      const secret = await browser.press(html, `${here}/secret`, {
        kind: 'secret',
        setting: 'CI_TOKEN',
        value: 'hush hush',
      })
      expect([secret.status, secret.html.includes('CI_TOKEN')]).toEqual([422, true])
      expect(secret.html).toContain('cannot begin with CI_')
      expect(secret.html).not.toContain('hush hush')
      const variable = await browser.press(html, here, {
        kind: 'variable',
        setting: 'GITHUB_X',
        value: 'typed before',
      })
      expect([variable.status, variable.html.includes('typed before')]).toEqual([422, true])
    })
  })
}
