/** Images through an upstream that wants a token, and that may be hostile. */
import { expect, test } from 'bun:test'
import { MINUTE } from '#lib/time.ts'
import { digestOf, makeServedUpstream } from '../fixture.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const LAYER = 'a layer'
const layer = `sha256:${digestOf('sha256', LAYER)}`
const manifest = JSON.stringify({ schemaVersion: 2, layers: [{ digest: layer, size: 7 }] })
const digest = `sha256:${digestOf('sha256', manifest)}`

type Served = Awaited<ReturnType<typeof makeServedUpstream>>

/** Serves an image `tool` of the namespace `team`, as registries with a token server do. */
function serveImage({ registry }: Served) {
  const tokens: (string | null)[] = []
  registry.set('/token', (request: Request) => {
    tokens.push(request.headers.get('authorization'))
    const { searchParams } = new URL(request.url)
    const isRight = searchParams.get('scope') === 'repository:team/tool:pull'
    return Response.json({ token: isRight ? 'pulls' : 'nothing' })
  })
  const guarded = (answer: () => Response) => (request: Request) => {
    if (request.headers.get('authorization') === 'Bearer pulls') return answer()
    const challenge = `Bearer realm="${registry.url}/token",service="s",scope="repository:team/tool:pull"`
    return new Response('no', { status: 401, headers: { 'www-authenticate': challenge } })
  }
  const image = () => new Response(manifest, { headers: { 'content-type': MANIFEST } })
  for (const reference of ['v1', digest])
    registry.set(`/v2/team/tool/manifests/${reference}`, guarded(image))
  registry.set(
    `/v2/team/tool/blobs/${layer}`,
    guarded(() => new Response(LAYER)),
  )
  const tags = { name: 'team/tool', tags: ['v1'] }
  registry.set(
    '/v2/team/tool/tags/list',
    guarded(() => Response.json(tags)),
  )
  return tokens
}

const asker =
  ({ site }: Served, secret: string | null) =>
  (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${site.url}/v2/acme/${path}`, {
      ...init,
      headers: {
        ...(secret !== null && { authorization: `Bearer ${secret}` }),
        ...(init.headers as Record<string, string> | undefined),
      },
    })

test('an image comes through with a token, and stays when the registry is away', async () => {
  const served = await makeServedUpstream('container')
  const tokens = serveImage(served)
  const { registry, world } = served
  const ask = asker(served, await served.token())
  const pull = async () => {
    for (const reference of ['v1', digest]) {
      const answer = await ask(`team/tool/manifests/${reference}`)
      expect([answer.status, await answer.text()]).toEqual([200, manifest])
      expect(answer.headers.get('docker-content-digest')).toBe(digest)
      expect(answer.headers.get('content-type')).toBe(MANIFEST)
    }
    const blob = await ask(`team/tool/blobs/${layer}`)
    expect([blob.status, await blob.text()]).toEqual([200, LAYER])
  }
  await pull()
  expect(await (await ask('team/tool/tags/list')).json()).toEqual({
    name: 'acme/team/tool',
    tags: ['v1'],
  })
  expect((await (await ask(`team/tool/referrers/${digest}`)).json()).manifests).toEqual([])
  expect((await ask('team/tool/manifests/v2')).status).toBe(404)
  // One token for all of it, asked for without credentials.
  expect(tokens).toEqual([null])
  world.clock.advance(10 * MINUTE)
  registry.isDown = true
  await pull()
})

test('wrong bytes are refused, and a push never meets the layers of an upstream', async () => {
  const served = await makeServedUpstream('container')
  serveImage(served)
  const { registry } = served
  const ask = asker(served, await served.token())
  const other = `sha256:${digestOf('sha256', 'other')}`
  registry.set(`/v2/team/tool/blobs/${other}`, 'not these')
  registry.set(`/v2/team/tool/manifests/${other}`, 'not these')
  expect((await ask(`team/tool/blobs/${other}`)).status).toBe(503)
  expect((await ask(`team/tool/manifests/${other}`)).status).toBe(503)
  expect((await ask(`team/tool/blobs/${layer}`)).status).toBe(200)
  const asked = registry.requests.length
  expect((await ask(`team/tool/blobs/${layer}`, { method: 'HEAD' })).status).toBe(404)
  for (const path of [
    'team%2f..%2ftool/manifests/v1',
    'team/tool/manifests/..%2f..',
    'Team/tool/tags/list',
  ])
    expect((await ask(path)).status).toBeGreaterThanOrEqual(400)
  expect(registry.requests.length).toBe(asked)
})

test('names of the workspace never come from it, and strangers are asked for a token', async () => {
  const served = await makeServedUpstream('container', { reserved_prefixes: ['team/'] })
  serveImage(served)
  const ask = asker(served, await served.token())
  expect((await ask('team/tool/manifests/v1')).status).toBe(404)
  const stranger = asker(served, null)
  expect((await stranger('other/manifests/v1')).status).toBe(401)
  expect(served.registry.requests).toEqual([])
})

test('a path of the address begins the names, and a secret goes to the server of tokens', async () => {
  const served = await makeServedUpstream('container')
  const tokens = serveImage(served)
  const { registry } = served
  await served.set('container', { url: `${registry.url}/team`, username: 'u', secret: 's' })
  const ask = asker(served, await served.token())
  expect((await ask('tool/manifests/v1')).status).toBe(200)
  expect(tokens).toEqual([`Basic ${Buffer.from('u:s').toString('base64')}`])
  const images = registry.requests.filter(({ url }) => url.includes('/v2/'))
  expect(images.map(({ headers }) => headers.get('authorization'))).toEqual([null, 'Bearer pulls'])
})

test('a challenge cannot send credentials elsewhere without encryption', async () => {
  const served = await makeServedUpstream('container')
  const { registry } = served
  const realm = registry.url.replace('127.0.0.1', 'localhost')
  const headers = { 'www-authenticate': `Bearer realm="${realm}/token",service="s"` }
  registry.set('/v2/tool/manifests/v1', () => new Response('no', { status: 401, headers }))
  const ask = asker(served, await served.token())
  expect((await ask('tool/manifests/v1')).status).toBe(503)
  expect(registry.count('/token')).toBe(0)
})
