/** A running forge. The cookie `<name>-cookie` signs a user in, and `Browser` follows pages. */
import { afterAll } from 'bun:test'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Settings } from '#core/settings.ts'
import { visitorOf } from '#http/authenticate.ts'
import { GitServer } from '#http/git/git-server.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { SiteServer } from '#web/site-server.ts'
import { siteMap } from '#web/index.ts'
import { makeWorld } from '../../world.ts'

export type Running = Awaited<ReturnType<typeof runForge>>

export async function runForge(change: Partial<Settings> = {}) {
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 500 })
  const url = server.url
  const world = await makeWorld({
    site_url: url,
    base_url: `${url}/api`,
    mcp_url: `${url}/mcp`,
    ...change,
  })
  const signedIn = new Map<string, UserCaller>()
  const { callers } = world.hearth
  const hearth: Hearth = {
    ...world.hearth,
    callers: {
      byToken: (secret) => callers.byToken(secret),
      bySignIn: (secret) => signedIn.get(secret) ?? callers.bySignIn(secret),
      byCredential: (id) => callers.byCredential(id),
      bySshKey: (fingerprint) => callers.bySshKey(fingerprint),
    },
    get jobs() {
      return world.hearth.jobs
    },
  }
  const site = new SiteServer(
    hearth,
    siteMap(hearth.settings, { docs: () => ({ operations: [] }) as never }),
    visitorOf,
  )
  server.open(hearth, { git: new GitServer(hearth), site })
  afterAll(() => server.stop())

  return {
    ...world,
    url,
    /** A browser in which a user is signed in; null for an anonymous visitor. */
    async browser(username: string | null) {
      if (username !== null)
        signedIn.set(`${username}-cookie`, { ...(await world.user(username)), sign_in: 'sgn_test' })
      return new Browser(url, username === null ? [] : [['hearth', `${username}-cookie`]])
    },
    post: (
      path: string,
      body: Record<string, unknown> | URLSearchParams,
      headers: Record<string, string> = {},
    ) =>
      fetch(url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type':
            body instanceof URLSearchParams
              ? 'application/x-www-form-urlencoded'
              : 'application/json',
          ...headers,
        },
        body: body instanceof URLSearchParams ? body : JSON.stringify(body),
      }),
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(path.startsWith('http') ? path : url + path, { redirect: 'manual', headers }),
  }
}

/** A test browser: keeps cookies, submits forms as the page has them, and follows no redirects. */
export class Browser {
  readonly #cookies: Map<string, string>
  /** The address of the page that is open. Its forms name it, as those of browsers do. */
  #address: string | null = null

  constructor(
    private readonly base: string,
    cookies: [string, string][],
  ) {
    this.#cookies = new Map(cookies)
  }

  async #send(
    address: string,
    init: RequestInit,
  ): Promise<{ status: number; location: string; headers: Headers; html: string }> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(address, this.base), {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie },
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      this.#cookies.set(name, value)
    }
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      headers: response.headers,
      html: await response.text(),
    }
  }

  open(address: string) {
    this.#address = new URL(address, this.base).href
    return this.#send(address, { method: 'GET' })
  }

  /** Submits a multipart form. */
  send(address: string, data: FormData) {
    return this.#send(address, { method: 'POST', body: data })
  }

  /** Submits the form with the action `action`. `change` replaces some of its fields. */
  press(html: string, action: string, change: Record<string, string | string[] | null>) {
    const form = html
      .split('<form')
      .find((part) => part.includes(`action="${action}"`) && part.includes('method="post"'))
      ?.split('</form>')[0]
    if (!form) throw new Error(`there is no form to ${action}: ${html.slice(0, 3000)}`)
    const fields = new URLSearchParams()
    for (const [tag] of form.matchAll(/<input [^>]*>/g)) {
      const value = (name: string) =>
        new RegExp(` ${name}="([^"]*)"`)
          .exec(tag)?.[1]
          ?.replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&')
      const name = value('name')
      if (
        name === undefined ||
        name in change ||
        (['checkbox', 'radio'].includes(value('type') ?? '') && !/ checked/.test(tag))
      )
        continue
      fields.append(name, value('value') ?? '')
    }
    for (const [name, value] of Object.entries(change))
      for (const one of value === null ? [] : [value].flat()) fields.append(name, one)
    return this.#send(action, {
      method: 'POST',
      body: fields,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(this.#address === null ? {} : { referer: this.#address }),
      },
    })
  }
}

/** A PKCE verifier and its challenge (RFC 7636). */
export function pkce(
  verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url'),
) {
  return {
    verifier,
    challenge: new Bun.CryptoHasher('sha256').update(verifier).digest('base64url'),
  }
}

export type Tokens = {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token: string
  scope: string
}

/** A registered client and the steps to its tokens. */
export async function client(
  forge: Running,
  options: { redirect_uri?: string; name?: string; issuer?: 'site' | 'api' } = {},
) {
  const { redirect_uri = 'https://app.example/callback', name = 'Test application' } = options
  const prefix = options.issuer === 'api' ? '/api' : ''
  const registered = (await (
    await forge.post(`${prefix}/oauth/register`, {
      client_name: name,
      redirect_uris: [redirect_uri],
    })
  ).json()) as { client_id: string }
  const { client_id } = registered
  const { verifier, challenge } = pkce()
  const query = (change: Record<string, string | null> = {}) => {
    const parameters = {
      response_type: 'code',
      client_id,
      redirect_uri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'st&te',
      ...change,
    }
    return `/oauth/authorize?${new URLSearchParams(Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)).toString()}`
  }
  return {
    client_id,
    redirect_uri,
    verifier,
    challenge,
    query,
    /** Submits the user's decision. Returns the parameters of the redirect. */
    async decide(
      username: string,
      decision: 'approve' | 'deny' = 'approve',
      change: Record<string, string | null> = {},
      form: Record<string, string | string[]> = {},
    ) {
      const browser = await forge.browser(username)
      const { html, status } = await browser.open(query(change))
      if (status !== 200) throw new Error(`the consent page answered ${status}`)
      const { location } = await browser.press(html, '/oauth/authorize', { decision, ...form })
      return new URL(location).searchParams
    },
    exchange: (code: string, change: Record<string, string> = {}) =>
      forge.post(`${prefix}/oauth/token`, {
        grant_type: 'authorization_code',
        code,
        client_id,
        redirect_uri,
        code_verifier: verifier,
        ...change,
      }),
    refresh: (refresh_token: string, change: Record<string, string> = {}) =>
      forge.post(`${prefix}/oauth/token`, {
        grant_type: 'refresh_token',
        refresh_token,
        client_id,
        ...change,
      }),
    async signIn(username: string, change: Record<string, string | null> = {}): Promise<Tokens> {
      const answer = await this.decide(username, 'approve', change)
      const response = await this.exchange(answer.get('code') ?? '')
      if (response.status !== 200) throw new Error(await response.text())
      return (await response.json()) as Tokens
    },
  }
}

export const oauthErrorOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { error: string }).error,
]
