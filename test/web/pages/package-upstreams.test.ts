/** Pages of upstreams, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { runForge } from '../../features/oauth/running.ts'

const LIST = '/acme/-/packages/upstreams'
const NPM = `${LIST}/npm`

test('an owner adds, changes, empties and deletes an upstream', async () => {
  const forge = await runForge()
  const [ada, bob] = [await forge.user('ada'), await forge.user('bob')]
  await forge.workspace('acme', { owner: ada, members: [bob] })
  const browser = await forge.browser('ada')
  const member = await forge.browser('bob')
  for (const at of [LIST, NPM]) expect((await member.open(at)).status).toBe(404)
  expect((await browser.open(`${LIST}/generic`)).status).toBe(404)
  const empty = (await browser.open(LIST)).html
  expect(empty).toContain('No upstreams')
  expect(empty).toContain(`href="${NPM}"`)
  expect((await browser.open('/acme/-/packages')).html).toContain(`href="${LIST}"`)

  const fields = {
    do: 'save',
    url: 'https://registry.nowhere.invalid',
    username: '',
    secret: 'very-secret',
    reserved_prefixes: '@acme/\n@inner/',
    min_age_days: '3',
    keep_days: '30',
    max_gib: '0.5',
  }
  const press = async (change: Record<string, string>) => {
    const sent = await browser.press((await browser.open(NPM)).html, NPM, { ...fields, ...change })
    return sent.status === 422 ? sent : browser.open(sent.location)
  }
  const first = (await browser.open(NPM)).html
  expect(first).toContain('https://registry.npmjs.org')
  expect(first).not.toContain('Delete upstream')
  const refused = await press({ url: 'https://10.0.0.1' })
  expect([refused.status, refused.html.includes('very-secret')]).toEqual([422, false])
  const saved = (await press({})).html
  expect(saved).toContain('@inner/')
  expect(saved).toContain('value="0.5"')
  expect(saved).toContain('One is stored')
  expect(saved).toContain('Nothing is cached yet')
  expect(saved).toMatch(
    /registry=http:\S+\/packages\/acme\/npm\/\n\/\/\S+\/npm\/:_authToken=\$\{HEARTH_TOKEN\}/,
  )
  expect(saved).not.toContain('very-secret')
  // An empty secret keeps the stored one.
  expect((await press({ secret: '', keep_days: '7' })).html).toContain('One is stored')
  expect((await browser.open(LIST)).html).toContain('registry.nowhere.invalid')
  expect((await press({ do: 'empty' })).html).toContain('Cache emptied.')
  expect((await press({ do: 'delete' })).html).toContain('No upstreams')
})
