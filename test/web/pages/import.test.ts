/** The page of an import, as a browser without a script uses it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { runForge } from '../../features/oauth/running.ts'
import { startStandIn } from '../../features/imports/stand-in.ts'
import { startBackend } from '../../git/support/backend.ts'
import { discard, git, scratch } from '../../git/support/real-git.ts'

test('an import is started by the form, followed on its page, and its people get accounts', async () => {
  const work = scratch()
  await git(work, 'init', '-q', '-b', 'main', 'lamp.git')
  const tree = join(work, 'lamp.git')
  const commit = [
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@example.com',
    'commit',
    '-q',
    '--allow-empty',
  ]
  await git(tree, ...commit, '-m', 'One')
  const oid = await git(tree, 'rev-parse', 'HEAD')
  const backend = startBackend(work)
  const project = {
    issues: 4,
    comments: 2,
    commits: { base: oid, head: oid, merge: oid },
    branch: 'main',
  }
  const peer = startStandIn('gitea_api', project, `${backend.url}`, {})
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  const browser = await forge.browser('ada')
  const none = await browser.open('/acme/site/import')
  expect(none.html).toContain('Nothing was imported')
  expect((await browser.open('/acme/site/settings')).html).not.toContain('/acme/site/import')

  const form = await browser.open('/new')
  const started = await browser.press(form.html, '/new', {
    workspace: 'acme',
    name: 'lamp',
    import_url: peer.url,
    import_source: 'gitea_api',
  })
  expect(started.location).toEndWith('/acme/lamp/import')
  await forge.jobs()
  expect((await browser.open('/acme/lamp/settings')).html).toContain('href="/acme/lamp/import"')
  const page = await browser.open('/acme/lamp/import')
  expect(page.html).toContain('Pull requests')
  expect(page.html).toContain('zoe')
  const issue = await browser.open('/acme/lamp/issues/1')
  expect(issue.html).toContain('ada (imported)')
  expect(issue.html).not.toContain('href="/ada (imported)"')

  const refused = await browser.press(page.html, '/acme/lamp/import/people', { username: 'nobody' })
  expect([refused.status, refused.html.includes('is no member')]).toEqual([422, true])
  await browser.press(page.html, '/acme/lamp/import/people', { username: 'ada' })
  const after = await browser.open('/acme/lamp/import')
  expect(after.html).toContain('href="/ada"')
  await peer.close()
  await backend.close()
  discard(work)
})
