/** The pages of secret scanning, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { runForge } from '../../features/oauth/running.ts'
import { madeUpToken } from '../../features/security/secrets/fixture.ts'
import { refusal } from '../../world.ts'

const REPO = 'acme/site'
const SECRETS = `/${REPO}/security/secrets`

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.user('rita')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'README.md': 'Hello\n' })
  const commit = (path: string, content: string) =>
    forge.call(createCommit, ada, {
      repo: REPO,
      branch: 'main',
      message: `Add ${path}`,
      files: [{ path, action: 'put', content }],
    })
  const alerts = async () => (await forge.call(listSecretAlerts, ada, { repo: REPO })).items
  return { forge, ada, commit, alerts, browser: await forge.browser('ada') }
}

test('a refused secret is bypassed on the page that the refusal names, by its person only', async () => {
  const { forge, commit, alerts, browser } = await setUp()
  const secret = madeUpToken()
  const error = await refusal(commit('a.env', `T=${secret}\n`))
  const [{ url = '' } = {}] = error.details.findings as { url: string }[]
  const { pathname, search } = new URL(url)
  const other = await (await forge.browser('rita')).open(`${pathname}${search}`)
  expect(other.status).toBeGreaterThanOrEqual(400)
  const page = await browser.open(`${pathname}${search}`)
  expect(page.html).toContain('GitHub token')
  expect(page.html).not.toContain(secret)
  const done = await browser.press(page.html, `${SECRETS}/bypass`, { reason: 'used_in_tests' })
  expect([done.status, done.location]).toEqual([303, `/${REPO}`])
  await commit('a.env', `T=${secret}\n`)
  expect(await alerts()).toMatchObject([{ bypass: { reason: 'used_in_tests' } }])
})

test('an alert is read with its places, resolved and opened again; outsiders see none', async () => {
  const { forge, ada, commit, alerts, browser } = await setUp()
  await forge.call(updateRepoSettings, ada, { repo: REPO, push_protection: false })
  const secret = madeUpToken()
  const empty = await browser.open(SECRETS)
  expect(empty.html).toContain('No secrets')
  expect(empty.html).toContain('Old commits were not scanned yet.')
  await commit('src/a.env', `A=1\nT=${secret}\n`)
  await forge.jobs()
  const id = (await alerts())[0]?.id ?? ''
  const list = await browser.open(SECRETS)
  expect(list.html).toContain(`${SECRETS}/${id}`)
  const page = await browser.open(`${SECRETS}/${id}`)
  expect(page.html).toContain('src/a.env')
  expect(page.html).toContain('#L2')
  expect(list.html + page.html).not.toContain(secret)
  const resolved = await browser.press(page.html, `${SECRETS}/${id}/resolve`, {
    resolution: 'revoked',
    note: 'rotated',
  })
  expect(resolved.location).toBe(`${SECRETS}/${id}`)
  expect((await alerts())[0]).toMatchObject({ state: 'resolved', note: 'rotated' })
  const closed = await browser.open(`${SECRETS}/${id}`)
  await browser.press(closed.html, `${SECRETS}/${id}/reopen`, {})
  expect((await alerts())[0]).toMatchObject({ state: 'open' })
  const rita = await forge.browser('rita')
  expect((await rita.open(SECRETS)).status).toBe(403)
  expect((await rita.open(`${SECRETS}/${id}`)).status).toBe(403)
})

test('administrators scan old commits and say what is scanned', async () => {
  const { forge, browser } = await setUp()
  const page = await browser.open(SECRETS)
  const started = await browser.press(page.html, `${SECRETS}/scan`, {})
  expect(started.location).toBe(SECRETS)
  await forge.jobs()
  expect((await browser.open(SECRETS)).html).toContain('1 commit, 0 secrets')
  const saved = await browser.press(page.html, `${SECRETS}/settings`, { secret_scanning: 'on' })
  expect(saved.location).toBe(SECRETS)
  expect((await browser.open(SECRETS)).html).toContain('Push protection')
})
