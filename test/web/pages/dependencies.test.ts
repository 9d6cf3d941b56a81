/** Pages of dependencies, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { LOCK } from '../../features/security/dependencies/fixture.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const AT = '/acme/site/security/dependencies'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.user('otto')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  return { forge, ada, browser: await forge.browser('ada'), stranger: await forge.browser('otto') }
}

test('dependencies are listed, found and downloaded as a bill of materials', async () => {
  const { forge, browser, stranger } = await setUp()
  expect((await browser.open(AT)).html).toContain('Commit a lock file')
  await forge.commit(REPO, 'main', { 'package-lock.json': LOCK, 'x/Cargo.lock': '[[<b>' })
  const { html } = await stranger.open(AT)
  for (const text of ['left', '1.2.0', 'MIT', 'Transitive', 'x/Cargo.lock', 'is no TOML'])
    expect(html).toContain(text)
  const found = (await stranger.open(`${AT}?q=dee&direct=no`)).html
  expect([found.includes('<code>deep'), found.includes('<code>left')]).toEqual([true, false])
  expect((await stranger.open(`${AT}?q=nothing`)).html).toContain('Show all dependencies')
  const spdx = await stranger.open(`${AT}/sbom`)
  expect(JSON.parse(spdx.html)).toMatchObject({ spdxVersion: 'SPDX-2.3' })
  expect(spdx.headers.get('content-disposition')).toContain('site.spdx.json')
  const bom = await stranger.open(`${AT}/sbom?format=cyclonedx`)
  expect(JSON.parse(bom.html)).toMatchObject({ specVersion: '1.6' })
})
