/**
 * The official suite's scenarios for authorization servers. A person signs in and approves in a
 * browser, as the suite asks.
 */
import { expect, test } from 'bun:test'
import { runForge } from '../../features/oauth/running.ts'
import { suite } from './suite.ts'

const forge = await runForge()
await forge.user('ada')

/** The suite listens for the answer on a port that it is told. */
function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port = 0 } = server
  void server.stop(true)
  return port
}

test('metadata and the code grant, for either issuer', async () => {
  for (const [issuer, prefix] of [
    [forge.url, ''],
    [`${forge.url}/api`, '/api'],
  ] as const) {
    const port = freePort()
    const registered = (await (
      await forge.post(`${prefix}/oauth/register`, {
        client_name: 'Suite',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
      })
    ).json()) as { client_id: string }
    let approving: Promise<Response> | null = null
    const approve = async (address: string): Promise<Response> => {
      const browser = await forge.browser('ada')
      let page = await browser.open(address)
      if (page.status === 302) page = await browser.open(page.location)
      return fetch(
        (await browser.press(page.html, '/oauth/authorize', { decision: 'approve' })).location,
      )
    }
    const { status, out } = await suite(
      [
        'authorization',
        '--url',
        issuer,
        '--client-id',
        registered.client_id,
        '--resource',
        `${forge.url}/mcp`,
        '--port',
        String(port),
      ],
      (soFar) => {
        const address = /^(http\S+\/oauth\/authorize\?\S+)$/m.exec(soFar)?.[1]
        if (
          approving === null &&
          address !== undefined &&
          soFar.includes('Callback server started')
        )
          approving = approve(address)
      },
    )
    if (status !== 0) throw new Error(out)
    expect(out).toMatch(/authorization-code-grant: [1-9]\d* passed, 0 failed/)
    expect(out).toMatch(/authorization-server-metadata-endpoint: [1-9]\d* passed, 0 failed/)
    await approving
  }
}, 120_000)
