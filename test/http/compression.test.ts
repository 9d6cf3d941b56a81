/** JSON goes as compact as the client asks, except beside a secret. */
import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { showsSecret } from '#http/compression.ts'
import { makeWorld } from '../world.ts'
import { makeForge } from './forge.ts'

const forge = makeForge()
const DECODERS = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync } as const

/** A request whose body arrives as it was sent. */
const send = async (
  path: string,
  coding: string | null,
  init: { method?: string; json?: unknown; headers?: Record<string, string> } = {},
) => {
  const { method = 'GET', json, headers = {} } = init
  const options: RequestInit & { decompress: boolean } = {
    method,
    decompress: false,
    headers: {
      authorization: 'Bearer ada-secret',
      'accept-encoding': coding ?? 'identity',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  }
  const response = await fetch(forge.server.url + path, options)
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

const rpc = (method: string, params: unknown) => ({
  method: 'POST',
  json: { jsonrpc: '2.0', id: 1, method, params },
})

const LONG = [
  ['/api/openapi.json', {}],
  ['/openapi.json', {}],
  ['/api/v1/repos/acme/site/contents/big.txt', {}],
  ['/mcp?toolsets=all', rpc('tools/list', {})],
  [
    '/mcp',
    rpc('tools/call', { name: 'get_file', arguments: { repo: 'acme/site', path: 'big.txt' } }),
  ],
] as const

test('long answers are compressed in the coding that is asked for', async () => {
  for (const [path, init] of LONG) {
    const plain = await send(path, null, init)
    expect([path, plain.response.headers.get('content-encoding')]).toEqual([path, null])
    for (const coding of ['zstd', 'br', 'gzip'] as const) {
      // The second comes from the cache, where there is one.
      for (const _ of [1, 2]) {
        const { response, bytes } = await send(path, `${coding}, deflate;q=0.5`, init)
        expect([path, coding, response.headers.get('content-encoding')]).toEqual([
          path,
          coding,
          coding,
        ])
        expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
        expect(DECODERS[coding](bytes).equals(plain.bytes)).toBe(true)
      }
    }
  }
})

test('caches are told, and validators hold for every coding', async () => {
  const { response } = await send('/api/v1/repos/acme/site/contents/big.txt', 'zstd')
  expect(response.headers.get('vary')).toContain('accept-encoding')
  const again = await send('/api/v1/repos/acme/site/contents/big.txt', 'gzip', {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  })
  expect(again.response.status).toBe(304)
  expect(again.response.headers.get('content-encoding')).toBeNull()
})

test('small answers, errors and streams of events go as they are', async () => {
  for (const [path, init] of [
    ['/api/v1/user', {}],
    ['/api/v1/nothing', {}],
    ['/mcp', rpc('tools/call', { name: 'whoami', arguments: {} })],
    [
      '/mcp',
      rpc('tools/call', { name: 'count_up', arguments: { to: 90 }, _meta: { progressToken: 1 } }),
    ],
  ] as const) {
    const { response } = await send(path, 'zstd, br, gzip', init)
    expect([path, response.headers.get('content-encoding')]).toEqual([path, null])
  }
})

test('what is large takes a thread, and arrives whole', async () => {
  const json = {
    title: 'one',
    entries: Array.from({ length: 5000 }, (_, i) => ({ tool_name: `t${i}` })),
  }
  const { response, bytes } = await send('/api/v1/repos/acme/site/notes', 'br', {
    method: 'POST',
    json,
  })
  expect(response.headers.get('content-encoding')).toBe('br')
  expect(JSON.parse(brotliDecompressSync(bytes).toString())).toMatchObject({ input: json })
})

test('answers with secrets are never compressed', async () => {
  const world = await makeWorld()
  const secret = world.hearth.operations.filter(showsSecret).map(({ name }) => name)
  expect(secret).toEqual(
    expect.arrayContaining([
      'create_token',
      'create_workspace_token',
      'create_agent',
      'create_webhook',
      'list_webhooks',
      'create_invite',
      'list_invites',
      'create_feed_token',
      'poll_device_token',
      'get_archive_link',
    ]),
  )
  expect(secret).not.toContain('list_issues')
  // Every property that is named like a secret belongs to an operation that counts as having one.
  for (const operation of world.hearth.operations) {
    if (operation.routes.length === 0 && !operation.tool) continue
    const names = JSON.stringify(operation.output).match(
      /"(\w*secret|\w+_token|token)":\{"type":"string"/g,
    )
    if (names)
      expect([operation.name, names, secret]).toEqual([
        operation.name,
        names,
        expect.arrayContaining([operation.name]),
      ])
  }
})
