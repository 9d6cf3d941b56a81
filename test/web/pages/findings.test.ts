/** Pages of code scanning, private reports and advisories, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { listCodeScanningAlerts } from '#features/security/code-scanning/list-code-scanning-alerts.ts'
import { uploadSarif } from '#features/security/code-scanning/upload-sarif.ts'
import { listAdvisories } from '#features/security/reports/list-advisories.ts'
import { listVulnerabilityReports } from '#features/security/reports/list-vulnerability-reports.ts'
import { runForge } from '../../features/oauth/running.ts'
import { packed, sarif } from '../../features/security/code-scanning/fixture.ts'

const REPO = { repo: 'acme/site' } as const
const AT = '/acme/site/security'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.user('otto')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO.repo, { as: ada })
  return { forge, ada, browser: await forge.browser('ada'), stranger: await forge.browser('otto') }
}

test('an alert is listed, shown with its lines, dismissed and opened again', async () => {
  const { forge, ada, browser, stranger } = await setUp()
  expect((await browser.open(`${AT}/code-scanning`)).html).toContain('upload-sarif')
  const sha = await forge.commit(REPO.repo, 'main', { 'a.ts': 'one()\nquery(x)\n' })
  await forge.call(uploadSarif, ada, {
    ...REPO,
    commit_sha: sha,
    git_ref: 'refs/heads/main',
    sarif: packed(sarif([{ path: 'a.ts', line: 2, message: 'Not <b>escaped</b>' }])),
  })
  await forge.hearth.jobs.idle()
  const [alert] = (await forge.call(listCodeScanningAlerts, ada, REPO)).items
  const path = `${AT}/code-scanning/${alert?.id}`
  expect((await browser.open(`${AT}/code-scanning`)).html).toContain(path)
  const { html } = await browser.open(path)
  expect(html).toContain('query(x)')
  expect(html).toContain('Not &lt;b&gt;escaped&lt;/b&gt;')
  for (const page of [`${AT}/code-scanning`, path])
    expect((await stranger.open(page)).status).not.toBe(200)
  await browser.press(html, `${path}/dismiss`, { reason: 'used_in_tests', note: 'Fixture' })
  const dismissed = await browser.open(path)
  expect(dismissed.html).toContain('Fixture')
  await browser.press(dismissed.html, `${path}/reopen`, {})
  expect((await forge.call(listCodeScanningAlerts, ada, REPO)).items).toMatchObject([
    { state: 'open' },
  ])
})

test('a report is sent, accepted and published as an advisory', async () => {
  const { forge, ada, browser, stranger } = await setUp()
  await forge.commit(REPO.repo, 'main', { 'a.ts': 'one()\n' })
  for (const at of ['/acme/site', AT])
    expect((await stranger.open(at)).html).toContain(`${AT}/reports/new`)
  const form = await stranger.open(`${AT}/reports/new`)
  await stranger.press(form.html, `${AT}/reports/new`, {
    title: 'Deep hole',
    description: 'It is **deep**.',
    severity: 'high',
  })
  const [report] = (await forge.call(listVulnerabilityReports, ada, REPO)).items
  const path = `${AT}/reports/${report?.id}`
  expect((await stranger.open(path)).html).toContain('Deep hole')
  expect((await stranger.open(`${AT}/reports`)).status).not.toBe(200)
  expect((await browser.open(`${AT}/reports`)).html).toContain(path)
  const { html } = await browser.open(path)
  const unrated = await browser.press(html, `${path}/review`, { state: 'accepted', severity: '' })
  expect([unrated.status, unrated.html.includes('Choose a severity')]).toEqual([422, true])
  await browser.press(html, `${path}/review`, { state: 'accepted', severity: 'high', note: '' })
  const [advisory] = (await forge.call(listAdvisories, ada, REPO)).items
  const draft = `${AT}/advisories/${advisory?.id}`
  expect((await stranger.open(draft)).status).not.toBe(200)
  const page = await browser.open(draft)
  await browser.press(page.html, `${draft}/edit`, {
    title: 'Deep hole in site',
    description: 'Fixed.',
    severity: 'critical',
    cve: '',
    package_type: 'npm',
    package: 'site',
    vulnerable: '< 1.4.2',
    patched: '1.4.2',
  })
  await browser.press(page.html, `${draft}/state`, { state: 'published' })
  const published = await stranger.open(draft)
  expect(published.html).toContain('Deep hole in site')
  expect(published.html).toContain('affects &lt; 1.4.2, fixed in 1.4.2')
  expect((await stranger.open(`${AT}/advisories`)).html).toContain(draft)
})
