/** Importing several repositories at once, as a browser without a script does it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { runForge } from '../../features/oauth/running.ts'
import { startOwnerStandIn } from '../../features/imports/owner-stand-in.ts'
import { startBackend } from '../../git/support/backend.ts'
import { discard, git, scratch } from '../../git/support/real-git.ts'

const TOKEN = 'token-of-the-other-side'

test('an owner is listed, some repositories are chosen, and one page shows all imports', async () => {
  const work = scratch()
  await git(work, 'init', '-q', '-b', 'main', 'lamp.git')
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  await git(join(work, 'lamp.git'), ...who, 'commit', '-q', '--allow-empty', '-m', 'One')
  const backend = startBackend(work)
  // The imports wait for this answer, so that none ends by itself.
  const gate = Promise.withResolvers<Response>()
  let isHeld = false
  const instead = () => (isHeld ? gate.promise : null)
  const peer = startOwnerStandIn('gitea_api', { count: 5, token: TOKEN, instead })
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  const bobby = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bobby] })
  await forge.repo('acme/lamp-2', { as: ada })
  const browser = await forge.browser('ada')

  expect((await browser.open('/new')).html).toContain('href="/import"')
  expect((await browser.open('/import/progress')).html).toContain('Nothing was imported')
  const start = await browser.open('/import')
  const nothing = await browser.press(start.html, '/import/choose', { url: ' ' })
  expect([nothing.status, nothing.html.includes('Addresses are required.')]).toEqual([422, true])
  const wrong = await browser.press(start.html, '/import/choose', {
    source: 'gitea_api',
    workspace: 'acme',
    url: `${peer.url}/acme`,
    token: 'wrong',
  })
  expect([wrong.status, wrong.html.includes('does not accept the token')]).toEqual([422, true])
  expect(wrong.html).toContain(`${peer.url}/acme`)

  const list = await browser.press(start.html, '/import/choose', {
    source: 'gitea_api',
    workspace: 'acme',
    url: `${peer.url}/acme\n${peer.url}/acme/lamp-1`,
    token: TOKEN,
  })
  expect(list.status).toBe(200)
  expect(list.html).not.toContain(TOKEN)
  expect(list.html.match(/name="pick\.\d+"/g)?.length).toBe(5)
  const picked = list.html.match(/<input [^>]*name="pick\.\d+"[^>]*checked[^>]*>/g) ?? []
  // The second exists here, the fourth is empty, the fifth is a fork.
  expect(picked.map((tag) => /pick\.\d/.exec(tag)?.[0])).toEqual(['pick.0', 'pick.2'])
  expect(list.html).toContain('The name exists')

  const none = await browser.press(list.html, '/import/start', { 'pick.0': null, 'pick.2': null })
  expect([none.status, none.html.includes('Choose at least one')]).toEqual([422, true])
  isHeld = true
  const clash = await browser.press(list.html, '/import/start', { 'pick.1': 'true' })
  expect(clash.status).toBe(422)
  expect(clash.html).toContain('acme/lamp-2 exists already')
  expect(clash.html).toContain('2 imports were started')
  const renamed = await browser.press(clash.html, '/import/start', { 'name.0': 'lamp-two' })
  expect([renamed.status, renamed.location]).toEqual([303, '/import/progress'])

  const held = /name="held" value="([^"]*)"/.exec(list.html)?.[1] ?? ''
  const bob = await forge.browser('bob')
  const page = await bob.open('/workspaces/new')
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
  const data = new FormData()
  for (const [name, value] of Object.entries({
    csrf,
    held,
    source: 'gitea_api',
    workspace: 'acme',
    rows: '1',
    'url.0': `${peer.url}/acme/lamp-1`,
    'pick.0': 'true',
  }))
    data.set(name, value)
  const stolen = await bob.send('/import/start', data)
  expect([stolen.status, stolen.html.includes('List the repositories again')]).toEqual([422, true])

  const progress = await browser.open('/import/progress')
  for (const name of ['lamp-1', 'lamp-two', 'lamp-3'])
    expect(progress.html).toContain(`href="/acme/${name}/import"`)
  expect(progress.html).toContain('0 of 3 done')
  const { description, private: isPrivate } = await forge.call(getRepo, ada, {
    repo: 'acme/lamp-two',
  })
  expect([description, isPrivate]).toEqual(['Lamp 2', true])
  const cancelled = await browser.press(progress.html, '/import/progress/cancel', {})
  expect(cancelled.location).toBe('/import/progress')
  expect((await browser.open('/import/progress')).html).toContain('1 of 3 done')
  expect((await bob.open('/import/progress')).html).not.toContain('lamp-1')
  gate.resolve(new Response(null, { status: 404 }))
  await peer.close()
  await backend.close()
  discard(work)
})
