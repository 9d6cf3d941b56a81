/**
 * Third-party clients sign in at a running forge, each with the one URL that its user would type.
 * The test only plays the user's approval in the browser.
 */
import { expect, test } from 'bun:test'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
  UnauthorizedError as ModernUnauthorized,
} from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { runForge } from './running.ts'

const forge = await runForge()
await forge.user('ada')

/** Approves the request at the URL that a client opens. Returns the redirect. */
async function approve(address: URL, decision: 'approve' | 'deny' = 'approve'): Promise<URL> {
  const browser = await forge.browser('ada')
  const page = await browser.open(address.href)
  if (page.status === 302) return approve(new URL(page.location), decision)
  if (page.status !== 200) throw new Error(`the consent page answered ${page.status}`)
  return new URL((await browser.press(page.html, '/oauth/authorize', { decision })).location)
}

/** Stores the client's state in memory, as a program would in a file. */
function keeper() {
  let information: unknown
  let tokens: unknown
  let verifier = ''
  let discovery: unknown
  const seen: { address: URL | null; registered: boolean } = { address: null, registered: false }
  return {
    seen,
    redirectUrl: 'http://localhost:39999/callback',
    clientMetadata: {
      client_name: 'Tool client',
      redirect_uris: ['http://localhost:39999/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => 'of-the-test',
    clientInformation: () => information as never,
    saveClientInformation: (value: unknown) => {
      information = value
      seen.registered = true
    },
    tokens: () => tokens as never,
    saveTokens: (value: unknown) => {
      tokens = value
    },
    redirectToAuthorization: (address: URL) => {
      seen.address = address
    },
    saveCodeVerifier: (value: string) => {
      verifier = value
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (value: unknown) => {
      discovery = value
    },
    discoveryState: () => discovery as never,
    break: () => {
      tokens = { ...(tokens as object), access_token: 'ended' }
    },
    current: () => tokens as { access_token: string; refresh_token: string; scope: string },
  }
}

for (const address of ['/mcp', '/mcp/x/core/readonly', '/mcp?toolsets=core']) {
  test(`the tool client of the first line signs in, given only ${address}`, async () => {
    const provider = keeper()
    const transport = () =>
      new LegacyTransport(new URL(forge.url + address), { authProvider: provider })
    const first = transport()
    const refused = await new LegacyClient({ name: 'test', version: '1' })
      .connect(first as never)
      .then(
        () => null,
        (error: Error) => error,
      )
    expect(refused?.constructor.name).toBe('UnauthorizedError')
    const callback = await approve(provider.seen.address ?? new URL('about:blank'))
    expect([callback.searchParams.get('state'), callback.searchParams.get('iss')]).toEqual([
      'of-the-test',
      forge.url,
    ])
    await first.finishAuth(callback.searchParams.get('code') ?? '')
    const client = new LegacyClient({ name: 'test', version: '1' })
    await client.connect(transport() as never)
    const result = await client.callTool({ name: 'whoami', arguments: {} })
    expect(JSON.stringify(result)).toContain('\\"ada\\"')
    await client.close()
    expect(provider.current().scope).not.toContain('site:admin')

    // The client refreshes an expired access token.
    const before = provider.current()
    provider.break()
    const again = new LegacyClient({ name: 'test', version: '1' })
    await again.connect(transport() as never)
    expect((await again.listTools()).tools.length).toBeGreaterThan(0)
    await again.close()
    expect(provider.current().refresh_token).not.toBe(before.refresh_token)
  })

  test(`the tool client of the second line signs in, given only ${address}`, async () => {
    const provider = keeper()
    const transport = () =>
      new ModernTransport(new URL(forge.url + address), { authProvider: provider as never })
    const first = transport()
    const refused = await new ModernClient({ name: 'test', version: '1' }).connect(first).then(
      () => null,
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(ModernUnauthorized)
    const callback = await approve(provider.seen.address ?? new URL('about:blank'))
    await first.finishAuth(callback.searchParams)
    const client = new ModernClient({ name: 'test', version: '1' })
    await client.connect(transport())
    expect(JSON.stringify(await client.callTool({ name: 'whoami', arguments: {} }))).toContain(
      '\\"ada\\"',
    )
    await client.close()
  })
}

for (const issuer of ['', '/api']) {
  test(`oauth4webapi completes every flow of the issuer at ${issuer || 'the root'}`, async () => {
    const options = { [oauth.allowInsecureRequests]: true }
    const server = await oauth.processDiscoveryResponse(
      new URL(forge.url + issuer),
      await oauth.discoveryRequest(new URL(forge.url + issuer), {
        ...options,
        algorithm: 'oauth2',
      }),
    )
    const redirect_uri = 'https://web.example/callback'
    const registered = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { client_name: 'Web', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' },
        options,
      ),
    )
    const client: oauth.Client = { client_id: registered.client_id }
    const verifier = oauth.generateRandomCodeVerifier()
    const address = new URL(server.authorization_endpoint ?? '')
    for (const [name, value] of Object.entries({
      client_id: client.client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'repo:read user:read',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'abc',
    })) {
      address.searchParams.set(name, value)
    }
    // The library verifies `iss` and `state` here.
    expect(() =>
      oauth.validateAuthResponse(
        { ...server, issuer: 'https://other.example' },
        client,
        new URL(`${redirect_uri}?code=x&state=abc&iss=${encodeURIComponent(forge.url + issuer)}`),
        'abc',
      ),
    ).toThrow()
    const parameters = oauth.validateAuthResponse(server, client, await approve(address), 'abc')
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        parameters,
        redirect_uri,
        verifier,
        options,
      ),
    )
    expect(tokens.scope).toBe('repo:read user:read')
    const next = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(
        server,
        client,
        oauth.None(),
        tokens.refresh_token ?? '',
        options,
      ),
    )
    expect(
      (
        await oauth.protectedResourceRequest(
          next.access_token,
          'GET',
          new URL(`${forge.url}/api/v1/user`),
          undefined,
          undefined,
          options,
        )
      ).status,
    ).toBe(200)
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(
        server,
        client,
        oauth.None(),
        next.refresh_token ?? '',
        options,
      ),
    )
    expect(
      (await forge.get('/api/v1/user', { authorization: `Bearer ${next.access_token}` })).status,
    ).toBe(401)
    const denied = oauth.validateAuthResponse.bind(
      null,
      server,
      client,
      await approve(address, 'deny'),
      'abc',
    )
    expect(denied).toThrow(oauth.AuthorizationResponseError)
  })

  test(`openid-client completes every flow of the issuer at ${issuer || 'the root'}`, async () => {
    const redirect_uri = 'http://127.0.0.1/cb'
    const execute = [openid.allowInsecureRequests]
    const config = await openid.dynamicClientRegistration(
      new URL(forge.url + issuer),
      { client_name: 'Desk', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' },
      openid.None(),
      { execute, algorithm: 'oauth2' },
    )
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: 'http://127.0.0.1:45678/cb',
      scope: 'code:write',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state,
      resource: `${forge.url}/api`,
    })
    const tokens = await openid.authorizationCodeGrant(config, await approve(address), {
      pkceCodeVerifier,
      expectedState: state,
    })
    expect([tokens.scope, tokens.expires_in]).toEqual(['code:write', 2_592_000])
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    await openid.tokenRevocation(config, next.access_token)
    expect(
      (await forge.get('/api/v1/user', { authorization: `Bearer ${next.access_token}` })).status,
    ).toBe(401)
  })
}
