/** A workspace that another forge serves now: where each of its addresses leads. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endRedirect, listRedirects, redirectWorkspace } from '#features/accounts/index.ts'
import { createWorkspace } from '#features/workspaces/create-workspace.ts'
import { getRepo } from '#features/repos/index.ts'
import { git } from '../git/support/real-git.ts'
import { refusal } from '../world.ts'
import { makeListening } from './listening-world.ts'

const { world, server, get } = await makeListening()
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada })
await world.repo('acme/site')
await world.repo('acme/plan', { private: true })
await world.workspace('other', { owner: bob })
await world.repo('other/site', { as: bob })
await world.commit('acme/site', 'main', { 'a.txt': 'here\n' })

const there = await makeListening()
await there.world.workspace('bakery')
await there.world.repo('bakery/site')
await there.world.commit('bakery/site', 'main', { 'a.txt': 'there\n' })
const address = `${there.server.url}/bakery`

const work = mkdtempSync(join(tmpdir(), 'hearth-departed-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const leads = async (path: string, method = 'GET'): Promise<[number, string | null]> => {
  const response = await fetch(server.url + path, { method, redirect: 'manual' })
  return [response.status, response.headers.get('location')]
}

test('an address must be that of a workspace elsewhere', async () => {
  for (const wrong of [
    'bakery',
    'ftp://new.example/bakery',
    'https://new.example/',
    'https://new.example/bakery/site',
    'https://ada:secret@new.example/bakery',
    'https://new.example/bakery?x=1',
    `${world.hearth.settings.site_url}/bakery`,
  ])
    expect(await refusal(redirectWorkspace(world.hearth, 'acme', wrong))).toMatchObject({
      field: 'address',
    })
  expect((await refusal(redirectWorkspace(world.hearth, 'nobody', address))).status).toBe(404)
  expect((await refusal(endRedirect(world.hearth, 'acme'))).status).toBe(404)
  expect((await leads('/api/v1/repos/acme/site'))[0]).toBe(200)
})

test('every address leads to the same one there, and those of others stay', async () => {
  await redirectWorkspace(world.hearth, 'acme', `${address}/`)
  const { url } = there.server
  expect(await leads('/acme')).toEqual([301, `${url}/bakery`])
  expect(await leads('/acme/site/issues?state=closed')).toEqual([
    301,
    `${url}/bakery/site/issues?state=closed`,
  ])
  expect(await leads('/ACME/plan')).toEqual([301, `${url}/bakery/plan`])
  expect(await leads('/api/v1/repos/acme/site')).toEqual([308, `${url}/api/v1/repos/bakery/site`])
  expect(await leads('/api/repos/acme/site/issues', 'POST')).toEqual([
    308,
    `${url}/api/repos/bakery/site/issues`,
  ])
  expect(await leads('/api/workspaces/acme')).toEqual([308, `${url}/api/workspaces/bakery`])
  expect(await leads('/v2/acme/image/tags/list')).toEqual([308, `${url}/v2/bakery/image/tags/list`])
  expect(await leads('/packages/acme/npm/left')).toEqual([308, `${url}/packages/bakery/npm/left`])
  expect(await leads('/acme/site.git/git-upload-pack', 'POST')).toEqual([
    308,
    `${url}/bakery/site.git/git-upload-pack`,
  ])
  // Nothing tells whether a repository of the workspace was there.
  expect(await leads('/acme/no-such')).toEqual([301, `${url}/bakery/no-such`])
  for (const path of ['/api/v1/repos/other/site', '/api/v1/repos', '/livez', '/api/v1/version'])
    expect((await leads(path))[1]).toBeNull()
  expect((await leads('/acmes'))[1]).toBeNull()
})

test('git clones from there by the old address', async () => {
  const old = join(work, 'old')
  await git(work, 'clone', '-q', `${server.url}/acme/site.git`, old)
  expect((await git(old, 'show', 'HEAD:a.txt')).trim()).toBe('there')
})

test('tools and SSH name the address to those who see the workspace, and others learn nothing', async () => {
  const read = (repo: string, as = ada) => refusal(world.call(getRepo, as, { repo }))
  expect(await read('acme/plan')).toMatchObject({
    status: 404,
    reason: 'moved',
    details: { moved_to: address },
  })
  expect((await read('acme/plan', bob)).reason).toBeNull()
  expect((await read('acme/site', bob)).details).toEqual({ moved_to: address })
  expect((await world.call(getRepo, bob, { repo: 'other/site' })).name).toBe('site')
})

test('nobody takes the name, and without the redirect all is as before', async () => {
  expect([...listRedirects(world.hearth)]).toEqual([['acme', address]])
  expect(await refusal(world.call(createWorkspace, bob, { slug: 'acme' }))).toMatchObject({
    reason: 'already_exists',
  })
  await endRedirect(world.hearth, 'acme')
  expect((await get('/api/v1/repos/acme/site')).status).toBe(200)
  expect((await world.call(getRepo, ada, { repo: 'acme/plan' })).name).toBe('plan')
})
