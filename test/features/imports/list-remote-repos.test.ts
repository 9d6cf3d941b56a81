import { describe, expect, test } from 'bun:test'
import { listRemoteRepos } from '#features/imports/list-remote-repos.ts'
import { refusal, withToken } from '../../world.ts'
import { makeImportWorld } from './fixture.ts'
import { startOwnerStandIn, type OwnerStandInOptions } from './owner-stand-in.ts'
import { DIALECTS, type Dialect } from './stand-in.ts'

const it = await makeImportWorld()
const { world, ada, eve } = it

async function withPeer<T>(
  dialect: Dialect,
  options: OwnerStandInOptions,
  run: (peer: ReturnType<typeof startOwnerStandIn>) => Promise<T>,
): Promise<T> {
  const peer = startOwnerStandIn(dialect, options)
  try {
    return await run(peer)
  } finally {
    await peer.close()
  }
}
const list = (
  source: Dialect,
  url: string,
  more: { token?: string; cursor?: string } = {},
  as = ada,
) => world.call(listRemoteRepos, as, { source, url, workspace: 'acme', ...more })

describe.each(DIALECTS)('%s', (dialect) => {
  const deep = dialect === 'gitlab_api' ? 'acme/deep' : 'acme'

  test('all pages of an organisation are listed, with the names that exist', () =>
    withPeer(dialect, { count: 120, token: 'good' }, async (peer) => {
      await world.repo('acme/LAMP-2', { as: ada }).catch(() => null)
      const first = await list(dialect, `${peer.url}/acme/`, { token: 'good' })
      expect(first.items.length).toBe(50)
      expect(first.items[0]).toEqual({
        full_name: `${deep}/lamp-1`,
        name: 'lamp-1',
        url: `${peer.url}/${deep}/lamp-1`,
        description: 'Lamp 1',
        private: false,
        archived: false,
        fork: false,
        empty: false,
        exists: false,
      })
      expect(first.items[1]).toMatchObject({ private: true, exists: true })
      expect(first.items[2]).toMatchObject({ archived: true })
      expect(first.items[3]).toMatchObject({ empty: true })
      const names = new Set(first.items.map(({ name }) => name))
      let { next } = first
      for (let pages = 1; next !== null; pages++) {
        expect(pages).toBeLessThan(4)
        const more = await list(dialect, `${peer.url}/acme`, { token: 'good', cursor: next })
        for (const { name } of more.items) names.add(name)
        next = more.next
      }
      expect(names.size).toBe(120)
    }))

  test('the address of one repository lists that', () =>
    withPeer(dialect, { count: 3 }, async (peer) => {
      const { items, next } = await list(dialect, `${peer.url}/acme/lamp-3.git`)
      expect(items.map(({ name }) => name)).toEqual(['lamp-3'])
      expect(next).toBeNull()
    }))

  test('a person is listed where no organisation has the name', () =>
    withPeer(dialect, { count: 2, kind: 'person' }, async (peer) => {
      expect((await list(dialect, `${peer.url}/acme`)).items.length).toBe(2)
    }))

  test('refusals name the field: a wrong token, an owner that is not there, a limit', async () => {
    await withPeer(dialect, { count: 1, token: 'good' }, async (peer) => {
      expect(await refusal(list(dialect, `${peer.url}/acme`, { token: 'bad' }))).toMatchObject({
        status: 422,
        field: 'token',
      })
      expect(await refusal(list(dialect, `${peer.url}/nobody`, { token: 'good' }))).toMatchObject({
        status: 422,
        field: 'url',
      })
      expect(
        await refusal(list(dialect, `${peer.url}/acme`, { token: 'good', cursor: '../../x' })),
      ).toMatchObject({ status: 422, field: 'cursor' })
    })
    const limited = () => new Response(null, { status: 429, headers: { 'retry-after': '30' } })
    await withPeer(dialect, { count: 1, instead: limited }, async (peer) => {
      expect(await refusal(list(dialect, `${peer.url}/acme`))).toMatchObject({
        status: 503,
        headers: { 'retry-after': '30' },
      })
    })
  })

  test('names that are no path, and answers that are no list, bring nothing', () =>
    withPeer(
      dialect,
      {
        count: 1,
        instead: () =>
          Response.json([
            { full_name: '../../etc', path_with_namespace: 'no-owner' },
            { full_name: 'a/b?c', path_with_namespace: 'a/b#c' },
            { full_name: 'a/half\ud800', path_with_namespace: 'a/half\ud800' },
            null,
            7,
          ]),
      },
      async (peer) => {
        const { items } = await list(dialect, `${peer.url}/acme`)
        expect(items.map(({ url }) => new URL(url).origin)).toEqual(items.map(() => peer.url))
        expect(items.filter(({ url }) => /etc|half/.test(new URL(url).pathname))).toEqual([])
      },
    ))
})

test("a person's own private repositories are listed at GitHub with that person's token", () =>
  withPeer(
    'github_api',
    { count: 2, kind: 'person', token: 'good', login: 'Acme' },
    async (peer) => {
      await list('github_api', `${peer.url}/acme`, { token: 'good' })
      expect(peer.asked.at(-1)).toContain('/user/repos?affiliation=owner')
    },
  ))

test('Gitea below a path, and an address that leads nowhere', () =>
  withPeer('gitea_api', { count: 1 }, async (peer) => {
    await refusal(list('gitea_api', `${peer.url}/git/acme`))
    expect(peer.asked).toEqual([
      '/api/v1/repos/git/acme?&limit=50&page=1',
      '/git/api/v1/users/acme/repos?&limit=50&page=1',
    ])
    expect(await refusal(list('gitea_api', peer.url))).toMatchObject({ field: 'url' })
  }))

test('only members list into a workspace, and only with a token that may make repositories', async () => {
  await withPeer('gitea_api', { count: 1 }, async (peer) => {
    expect(await refusal(list('gitea_api', `${peer.url}/acme`, {}, eve))).toMatchObject({
      status: 404,
    })
    expect(
      await refusal(
        list('gitea_api', `${peer.url}/acme`, {}, withToken(ada, { scopes: ['repo:read'] })),
      ),
    ).toMatchObject({ status: 403 })
    expect(peer.asked).toEqual([])
  })
})
