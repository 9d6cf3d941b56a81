/** Pages of dependencies, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { listDependencyAlerts } from '#features/security/dependencies/list-dependency-alerts.ts'
import { importOsv, LOCK, osv, packageLock } from '../../features/security/dependencies/fixture.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
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

test('an alert says what mends it, is dismissed and opened again', async () => {
  const { forge, ada, browser, stranger } = await setUp()
  const alerts = '/acme/site/security/dependency-alerts'
  expect((await browser.open(alerts)).html).toContain('hearth advisories import')
  await forge.commit(REPO, 'main', { 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await importOsv(forge, [
    osv('GHSA-1', 'left', '1.2.3', { summary: 'Too <b>bold</b>', aliases: ['CVE-2026-1'] }),
  ])
  const [alert] = (await forge.call(listDependencyAlerts, ada, { repo: REPO })).items
  const path = `${alerts}/${alert?.id}`
  const list = (await browser.open(alerts)).html
  expect(list).toContain(path)
  expect(list).toContain('Update left to 1.2.3 or later')
  const { html } = await browser.open(path)
  for (const text of ['Too &lt;b&gt;bold&lt;/b&gt;', 'CVE-2026-1', 'Update left to 1.2.3', 'High'])
    expect(html).toContain(text)
  for (const page of [alerts, path]) expect((await stranger.open(page)).status).not.toBe(200)
  // The list of packages leads to the alert those who may read it.
  const marked = (await browser.open(AT)).html
  for (const text of [`href="${path}"`, 'GHSA-1', 'High']) expect(marked).toContain(text)
  const plain = (await stranger.open(AT)).html
  expect(plain).toContain('<code>left</code>')
  for (const text of ['GHSA-1', path, 'High']) expect(plain).not.toContain(text)
  await browser.press(html, `${path}/dismiss`, { reason: 'wont_fix', note: 'Not reachable' })
  const dismissed = await browser.open(path)
  expect(dismissed.html).toContain('Not reachable')
  expect((await browser.open(alerts)).html).toContain('No alerts')
  expect((await browser.open(AT)).html).not.toContain('GHSA-1')
  await browser.press(dismissed.html, `${path}/reopen`, {})
  await forge.commit(REPO, 'main', { 'package-lock.json': packageLock({ left: '1.2.3' }) })
  await forge.hearth.jobs.idle()
  expect((await browser.open(`${alerts}?state=fixed`)).html).toContain(path)
  expect((await browser.open('/acme/site/security')).html).toContain('0 open alerts')
})

test('a pull request shows the packages that it changes', async () => {
  const { forge, ada, browser } = await setUp()
  await forge.commit(REPO, 'main', { 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await importOsv(forge, [osv('GHSA-new', 'fresh', '2.0.0'), osv('GHSA-old', 'left', '1.2.0')])
  await forge.call(createBranch, ada, { repo: REPO, branch: 'next' })
  await forge.commit(REPO, 'next', {
    'package-lock.json': packageLock({ left: '1.2.0', fresh: '1.0.0' }),
  })
  const { pull } = await forge.call(createPull, ada, { repo: REPO, title: 'Go on', branch: 'next' })
  await forge.hearth.jobs.idle()
  const { html } = await browser.open(`/${REPO}/pull/${pull.number}`)
  for (const text of ['1.0.0 → 1.2.0', 'GHSA-new', 'fixed in 2.0.0', 'GHSA-old', 'Fixes'])
    expect(html).toContain(text)
})
