/** The page of mirrors, as browsers without a script use it. */
import { expect, test } from 'bun:test'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { runForge } from '../../features/oauth/running.ts'

const PAGE = '/acme/site/settings/mirror'
const REPO = { repo: 'acme/site' }

test('a mirror is created, taken over, handed back by choice, and ended on its page', async () => {
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  const browser = await forge.browser('ada')
  const visitor = await forge.browser(null)
  expect((await visitor.open(PAGE)).status).not.toBe(200)
  const empty = await browser.open(PAGE)
  expect(empty.html).toContain('No mirrors yet')
  const refused = await browser.press(empty.html, PAGE, {
    url: 'http://10.0.0.1/site.git',
    name: 'upstream',
  })
  expect([refused.status, refused.html.includes('value="upstream"')]).toEqual([422, true])
  expect(refused.html).not.toContain('a secret')
  await browser.press(empty.html, PAGE, {
    url: 'http://127.0.0.1:9/site.git',
    name: 'upstream',
    secret: 'a secret',
  })
  const link = async () => (await forge.call(getMirror, ada, REPO)).remotes[0]
  expect(await link()).toMatchObject({ role: 'leader', name: 'upstream', state: 'setting_up' })
  await forge.write((tx) => tx.db.run(`UPDATE mirrors SET state = 'standing_by'`))
  const standing = await browser.open(PAGE)
  expect(standing.html).toContain('This repository follows it: push there.')
  expect(standing.html).not.toContain('a secret')
  expect(standing.html).toMatch(/<input[^>]*value="follower"[^>]*\schecked/)
  expect(empty.html).not.toMatch(/<input[^>]*value="follower"[^>]*\schecked/)
  await browser.press(standing.html, `${PAGE}/update`, {
    take_over_after: '30',
    hand_back: 'automatic',
    notify: 'none',
  })
  expect((await link())?.settings).toMatchObject({
    take_over_after: 30,
    hand_back: 'automatic',
    notify: 'none',
  })
  await browser.press(standing.html, `${PAGE}/take-over`, {})
  const led = await browser.open(PAGE)
  expect(led.html).toContain('took over from')
  expect(led.html).toContain('id="plan"')
  // The remote is away, so the page says why the lead stays here.
  const away = await browser.press(led.html, `${PAGE}/hand-back`, {})
  expect(away.status).toBe(422)
  expect(away.html).toContain('upstream cannot be read')
  await browser.press(led.html, `${PAGE}/delete`, {})
  expect(await link()).toBeUndefined()
})
