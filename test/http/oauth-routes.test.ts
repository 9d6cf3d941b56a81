import { expect, test } from 'bun:test'
import { SCOPES } from '#core/scopes.ts'
import { runForge } from '../features/oauth/running.ts'

const forge = await runForge()

test('metadata is where clients look, each document with its own issuer and addresses', async () => {
  const places: [string, string][] = [
    ['/.well-known/oauth-authorization-server', forge.url],
    ['/.well-known/oauth-authorization-server/api', `${forge.url}/api`],
    ['/api/.well-known/oauth-authorization-server', `${forge.url}/api`],
  ]
  for (const [path, issuer] of places) {
    const response = await forge.get(path)
    expect([
      path,
      response.status,
      response.headers.get('content-type'),
      response.headers.get('access-control-allow-origin'),
    ]).toEqual([path, 200, 'application/json', '*'])
    expect(await response.json()).toEqual({
      issuer,
      authorization_endpoint: `${forge.url}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: SCOPES,
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${forge.url}/docs`,
    })
    expect((await forge.post(path, {})).status).toBe(405)
    const preflight = await fetch(forge.url + path, { method: 'OPTIONS' })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
    expect(await (await fetch(forge.url + path, { method: 'HEAD' })).text()).toBe('')
  }
})

test('the addresses of OAuth have no version', async () => {
  for (const path of ['/api/v1/oauth/token', '/api/v1/oauth/register', '/v1/oauth/token'])
    expect([path, (await forge.post(path, {})).status >= 400]).toEqual([path, true])
})
