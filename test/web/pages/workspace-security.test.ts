/** The overview of the findings of a workspace. */
import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { runForge } from '../../features/oauth/running.ts'
import { madeUpToken } from '../../features/security/secrets/fixture.ts'

const REPO = 'acme/site'

test('owners see what is open in the workspace, and a notification leads to the alert', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'README.md': 'Hello\n' })
  const browser = await forge.browser('ada')
  const empty = await browser.open('/acme/-/security')
  expect(empty.html).toContain('No open alerts')
  await forge.call(updateRepoSettings, ada, { repo: REPO, push_protection: false })
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Add a key',
    files: [{ path: 'a.env', action: 'put', content: `K=${madeUpToken()}\n` }],
  })
  await forge.jobs()
  const page = await browser.open('/acme/-/security')
  expect(page.html).toContain(`/${REPO}/security`)
  expect(page.html).toContain('1 open alert')
  expect(page.html).toContain('Last 12 weeks')
  const [alert] = (await forge.call(listSecretAlerts, ada, { repo: REPO })).items
  const { items } = await forge.call(listNotifications, ada, {})
  const told = items.find(({ reason }) => reason === 'security_alert')
  expect(told?.subject.url).toEndWith(`/${REPO}/security/secrets/${alert?.id}`)
  const other = await (await forge.browser('bob')).open('/acme/-/security')
  expect(other.status).toBe(403)
  expect((await (await forge.browser('bob')).open('/acme')).html).not.toContain('/acme/-/security')
})
