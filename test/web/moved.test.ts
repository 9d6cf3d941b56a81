import { describe, expect, test } from 'bun:test'
import { Moved } from '#lib/errors.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { renameBranch } from '#features/repos/branches/rename-branch.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { csrfToken, setCookie, SIGN_IN_COOKIE } from '#web/cookies.ts'
import { visitorOf } from '#http/authenticate.ts'
import { Exchange } from '#http/exchange.ts'
import { SiteServer } from '#web/site-server.ts'
import { siteMap } from '#web/index.ts'
import { movedAddress } from '#web/moved.ts'
import { makeWorld, refusal } from '../world.ts'

const address = (path: string, from = 'acme/site', to = 'bakery/web') =>
  movedAddress(new URL(`http://x${path}`), new Moved(from, to))

test('the same page under the new name, and null for another repository', () => {
  expect(address('/acme/site')).toBe('/bakery/web')
  expect(address('/Acme/SITE/issues/3?x=%20#y')).toBe('/bakery/web/issues/3?x=%20')
  expect(address('/acme/site/blob/main/a%2Fb.ts', 'acme/site/pull/3', 'bakery/web/pull/3')).toBe(
    '/bakery/web/blob/main/a%2Fb.ts',
  )
  for (const path of [
    '/',
    '/acme',
    '/acme/other',
    '/new?workspace=acme/site',
    '/acme/%',
    '/x/acme/site',
  ])
    expect(address(path)).toBeNull()
})

const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.workspace('bakery', { owner: ada })
const { site_url } = world.hearth.settings
const secret = 'the-cookie-of-ada'
const hearth = {
  ...world.hearth,
  callers: {
    byToken: () => null,
    bySignIn: (text: string) => (text === secret ? ada : null),
    byCredential: () => null,
    bySshKey: () => null,
  },
}
const door = new SiteServer(
  hearth,
  siteMap(hearth.settings, { docs: () => ({}) as never }),
  visitorOf,
)
const cookie = setCookie(true, SIGN_IN_COOKIE, secret, 60).split(';')[0] ?? ''
const ask = (path: string, init: RequestInit & { signedIn?: boolean } = {}) =>
  door.handle(
    new Exchange(
      hearth,
      new Request(site_url + path, {
        ...init,
        headers: {
          ...(init.signedIn ? { cookie } : {}),
          ...(init.headers as Record<string, string>),
        },
      }),
    ),
  )
const went = async (path: string, signedIn = false): Promise<[number, string | null]> => {
  const answer = await ask(path, { signedIn })
  return [answer.status, answer.headers.get('location')]
}
const send = (path: string, fields: Record<string, string>) =>
  ask(path, {
    method: 'POST',
    signedIn: true,
    body: new URLSearchParams({ csrf: csrfToken(secret), ...fields }),
  })

describe('old addresses', () => {
  test('of a repository redirect to the whole new address, for users who see it', async () => {
    await world.repo('acme/open')
    await world.commit('acme/open', 'main', { 'src/a.ts': 'a\n' })
    await world.repo('acme/secret', { private: true })
    for (const name of ['open', 'secret'])
      await world.call(renameRepo, ada, { repo: `acme/${name}`, name: `new-${name}` })
    expect(await went('/acme/open/blob/main/src/a.ts?plain=1')).toEqual([
      301,
      '/acme/new-open/blob/main/src/a.ts?plain=1',
    ])
    expect(await went('/acme/open/raw/main/src/a.ts')).toEqual([
      301,
      '/acme/new-open/raw/main/src/a.ts',
    ])
    expect((await went('/acme/new-open/blob/main/src/a.ts'))[0]).toBe(200)
    expect(await went('/acme/secret/issues', true)).toEqual([301, '/acme/new-secret/issues'])
    const hidden = await ask('/acme/secret/issues')
    expect([
      hidden.status,
      hidden.headers.get('location'),
      (await hidden.text()).includes('new-secret'),
    ]).toEqual([404, null, false])
    // A form is not sent on: what it says may not be meant for what is there now.
    const posted = await send('/acme/open/issues/new', { title: 'Late' })
    expect([posted.status, (await posted.text()).includes('acme/new-open')]).toEqual([404, true])
    expect(world.events('issue.opened')).toEqual([])
  })

  test('of a branch redirect to its new name', async () => {
    await world.repo('acme/code')
    await world.commit('acme/code', 'main', { 'src/a.ts': 'a\n' })
    await world.commit('acme/code', 'feature/x', { 'src/a.ts': 'b\n' })
    await world.call(renameBranch, ada, { repo: 'acme/code', branch: 'feature/x', new_name: 'y' })
    for (const view of ['tree', 'blob', 'blame', 'commits', 'raw']) {
      const rest = view === 'tree' ? 'src' : 'src/a.ts'
      expect(await went(`/acme/code/${view}/feature/x/${rest}?q=1`)).toEqual([
        301,
        `/acme/code/${view}/y/${rest}?q=1`,
      ])
    }
    expect((await went('/acme/code/tree/feature/z'))[0]).toBe(404)
  })
})

describe('the danger zone', () => {
  test('deletes only with the full name, keeps the typed text, and restores', async () => {
    const { id } = await world.repo('acme/old')
    const wrong = await send('/acme/old/settings/delete', { confirm_delete: 'old<' })
    const page = await wrong.text()
    expect([
      wrong.status,
      page.includes('old&lt;'),
      page.includes('Confirm must be the full name'),
    ]).toEqual([422, true, true])
    expect((await world.call(getRepo, ada, { repo: 'acme/old' })).id).toBe(id)
    const right = await send('/acme/old/settings/delete', { confirm_delete: 'acme/old' })
    expect([right.status, right.headers.get('location')]).toEqual([303, '/acme'])
    expect((await refusal(world.call(getRepo, ada, { repo: 'acme/old' }))).status).toBe(404)
    const list = await (await ask('/acme/-/settings/deleted', { signedIn: true })).text()
    expect(list).toContain('acme/old')
    expect((await ask('/acme/-/settings/deleted')).status).toBe(302)
    const back = await send('/acme/-/settings/deleted/restore', { repo: 'acme/old', id })
    expect([back.status, back.headers.get('location')]).toEqual([303, '/acme/old'])
  })

  test('purges only deleted repositories', async () => {
    const { id } = await world.repo('acme/gone')
    const purge = () =>
      send('/acme/-/settings/deleted/purge', { repo: 'acme/gone', id, confirm: 'acme/gone' })
    expect((await purge()).status).toBe(422)
    await world.call(deleteRepo, ada, { repo: 'acme/gone', confirm: 'acme/gone' })
    expect((await purge()).status).toBe(303)
    expect(world.events('repo.purged').length).toBe(1)
  })

  test('transfers and archives; an archived repository offers only to unarchive it', async () => {
    await world.repo('acme/kiln')
    const moved = await send('/acme/kiln/settings/transfer', { to: 'bakery' })
    expect([moved.status, moved.headers.get('location')]).toEqual([303, '/bakery/kiln/settings'])
    expect((await send('/bakery/kiln/settings/archive', {})).status).toBe(303)
    const archived = await (await ask('/bakery/kiln/settings', { signedIn: true })).text()
    expect([archived.includes('settings/unarchive'), archived.includes('settings/delete')]).toEqual(
      [true, false],
    )
    await send('/bakery/kiln/settings/unarchive', {})
    expect(await (await ask('/bakery/kiln/settings', { signedIn: true })).text()).toContain(
      'settings/delete',
    )
  })
})
