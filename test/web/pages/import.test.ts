/** The page of an import, as a browser without a script uses it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { runForge } from '../../features/oauth/running.ts'
import { openContext } from '../../journeys/browser.ts'
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

test('the page of a repository that is copied shows its files, and the list of imports its end, without a reload', async () => {
  const work = scratch()
  await git(work, 'init', '-q', '-b', 'main', 'lamp.git')
  const tree = join(work, 'lamp.git')
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  await Bun.write(join(tree, 'wick.txt'), 'cotton\n')
  await git(tree, 'add', '.')
  await git(tree, ...who, 'commit', '-q', '-m', 'One')
  const backend = startBackend(work)
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  const browser = await forge.browser('ada')
  const start = async (name: string): Promise<void> => {
    const form = await browser.open('/new')
    const { location } = await browser.press(form.html, '/new', {
      workspace: 'acme',
      name,
      import_url: `${backend.url}/lamp.git`,
    })
    expect(location).toEndWith(`/acme/${name}`)
  }
  await start('lamp')
  await start('lantern')
  const context = await openContext()
  await context.addCookies([{ name: 'hearth', value: 'ada-cookie', url: forge.url }])
  const [code, list] = [await context.newPage(), await context.newPage()]
  const streams = [code, list].map((page) => page.waitForRequest(/\/live\?/))
  await code.goto(`${forge.url}/acme/lamp`)
  expect(await code.textContent('main')).toContain('This repository is being copied')
  await list.goto(`${forge.url}/import/progress`)
  expect(await list.textContent('main')).toContain('0 of 2 done')
  await Promise.all(streams)
  await forge.jobs()
  await code.getByRole('link', { name: 'wick.txt' }).waitFor()
  await list.getByText('2 of 2 done').waitFor()
  expect(await code.textContent('main')).not.toContain('being copied')
  await context.close()
  await backend.close()
  discard(work)
})
