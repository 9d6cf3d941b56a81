import { expect, test } from 'bun:test'
import { runForge } from '../../features/oauth/running.ts'

const forge = await runForge()

/** The scopes that the challenge of an address requests, and its resource metadata. */
async function requested(address: string) {
  const response = await forge.post(address, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect(response.status).toBe(401)
  const challenge = response.headers.get('www-authenticate') ?? ''
  const metadata = new URL(/resource_metadata="([^"]*)"/.exec(challenge)?.[1] ?? '')
  const document = (await (await forge.get(`${metadata.pathname}${metadata.search}`)).json()) as {
    resource: string
    scopes_supported: string[]
  }
  return { scope: /scope="([^"]*)"/.exec(challenge)?.[1] ?? '', document }
}

test('a connection that only reads requests the scopes that its tools need, and no more', async () => {
  for (const address of ['/mcp/x/issues/readonly', '/mcp?toolsets=issues&readonly=1']) {
    const { scope, document } = await requested(address)
    expect(scope).toBe('issues:read user:read')
    expect(document.scopes_supported).toEqual(['issues:read', 'user:read'])
    // A client compares the resource with the address that it uses (RFC 9728 section 3.3).
    expect(document.resource).toBe(`${forge.hearth.settings.site_url}${address}`)
  }
  for (const address of ['/mcp/x/core/readonly', '/mcp/x/all/readonly', '/mcp?readonly=1']) {
    const { scope, document } = await requested(address)
    expect(scope).toContain('code:read')
    expect(scope.split(' ').filter((one) => !one.endsWith(':read'))).toEqual([])
    expect(document.scopes_supported).toEqual(scope.split(' '))
  }
})

test('a connection that changes things requests all scopes but those of the site', async () => {
  for (const address of ['/mcp', '/mcp/x/issues', '/mcp?toolsets=core']) {
    const { scope, document } = await requested(address)
    expect(scope).toContain('pulls:merge')
    expect(scope).not.toContain('site:')
    expect(document.scopes_supported).toContain('repo:admin')
  }
})

test('an address that the tool server refuses has metadata all the same', async () => {
  const document = (await (
    await forge.get('/.well-known/oauth-protected-resource/mcp/x/nothing/readonly')
  ).json()) as { scopes_supported: string[] }
  expect(document.scopes_supported).toContain('pulls:merge')
})
