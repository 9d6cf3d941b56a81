/**
 * A real OpenID Connect provider (the package oidc-provider) on a local port. Its users sign in by
 * name only.
 */
import { createServer, type Server } from 'node:http'
import { afterAll } from 'bun:test'
import { Provider, type Configuration } from 'oidc-provider'

export type Someone = {
  sub: string
  email?: string
  email_verified?: boolean
  preferred_username?: string
  name?: string
  groups?: string[]
}

export async function startProvider(
  redirects: readonly string[],
  change: Partial<Configuration> = {},
) {
  const people = new Map<string, Someone>()
  const server: Server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the provider has no port')
  const issuer = `http://127.0.0.1:${address.port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'hearth',
        client_secret: 'a-secret-of-the-provider',
        redirect_uris: [...redirects],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups'],
    },
    pkce: { required: () => true },
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => {
      const someone = people.get(id)
      return someone && { accountId: id, claims: () => someone }
    },
    ...change,
  })
  const callback = provider.callback()

  /** Signs every visitor in as `next` and grants everything. */
  let next = ''
  async function handle(
    request: Parameters<typeof callback>[0],
    response: Parameters<typeof callback>[1],
  ): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response)
    const details = await provider.interactionDetails(request, response)
    const grant = new provider.Grant({
      accountId: next,
      clientId: String(details.params.client_id),
    })
    grant.addOIDCScope(String(details.params.scope))
    await provider.interactionFinished(
      request,
      response,
      { login: { accountId: next }, consent: { grantId: await grant.save() } },
      { mergeWithLastSubmission: true },
    )
  }

  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  return {
    issuer,
    put: (someone: Someone) => void people.set(someone.sub, someone),
    /** Follows the provider's redirects as this user until it redirects back. Returns that URL. */
    async visit(url: string, sub: string): Promise<URL> {
      next = sub
      const jar = new Map<string, string>()
      let at = new URL(url)
      for (let hop = 0; hop < 10; hop++) {
        const response = await fetch(at, {
          redirect: 'manual',
          headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
        })
        for (const cookie of response.headers.getSetCookie()) {
          const [pair = ''] = cookie.split(';')
          jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
        }
        const location = response.headers.get('location')
        if (location === null)
          throw new Error(
            `the provider answered ${response.status}: ${(await response.text()).slice(0, 400)}`,
          )
        at = new URL(location, at)
        if (at.origin !== issuer) return at
      }
      throw new Error('the provider sends round in circles')
    },
  }
}
