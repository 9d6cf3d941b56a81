/** The page of deploy keys, as a browser without a script uses it. */
import { expect, test } from 'bun:test'
import { listDeployKeys } from '#features/keys/list-deploy-keys.ts'
import { runForge } from '../../features/oauth/running.ts'
import { newSshKey } from '../../ssh.ts'

const KEYS = '/acme/site/settings/keys'

test('a deploy key is added and removed; a refused form keeps what was typed', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  const browser = await forge.browser('ada')
  const list = async () =>
    (await forge.call(listDeployKeys, ada, { repo: 'acme/site' })).items.map((key) => key.read_only)
  const empty = await browser.open(KEYS)
  expect(empty.html).toContain('No deploy keys')
  const refused = await browser.press(empty.html, KEYS, { title: 'server', key: 'no key' })
  expect([refused.status, refused.html.includes('value="server"')]).toEqual([422, true])
  await browser.press(empty.html, KEYS, { title: 'server', key: newSshKey().line, writes: 'on' })
  expect(await list()).toEqual([false])
  const { html } = await browser.open(KEYS)
  await browser.press(html, `${KEYS}/remove`, {})
  expect(await list()).toEqual([])
})
