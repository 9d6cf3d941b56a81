/**
 * A running website over a world, and browsers without a script: they keep cookies and send forms
 * as pages have them.
 */
import { afterAll } from 'bun:test'
import { visitorOf } from '#http/authenticate.ts'
import { GitServer } from '#http/git/git-server.ts'
import { proxyIdentityOf } from '#http/proxy-sign-on.ts'
import { startServer } from '#http/server.ts'
import { createLog } from '#lib/log.ts'
import { SiteServer } from '#web/site-server.ts'
import { siteMap } from '#web/index.ts'
import type { World } from '../world.ts'

export type Site = ReturnType<typeof serveSite>

/** Takes a port of this machine, for a world whose address must be known before it is made. */
export function listen() {
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line) })
  const server = startServer({ host: '127.0.0.1', port: 0, log, graceMs: 500 })
  afterAll(() => server.stop())
  return { server, log, lines }
}

/** Serves a world. `lines` is all that is logged, of every level. */
export function serveSite(world: World, { server, log, lines } = listen()) {
  const hearth = {
    ...world.hearth,
    log,
    get callers() {
      return world.hearth.callers
    },
    get jobs() {
      return world.hearth.jobs
    },
  }
  const map = siteMap(hearth.settings, { docs: () => ({ operations: [] }) as never })
  const site = new SiteServer(hearth, map, visitorOf, proxyIdentityOf)
  server.open(hearth, { git: new GitServer(hearth), site })
  return { url: server.url, lines, map, hearth }
}

type Request = { headers?: Record<string, string> }

export function browser(site: Pick<Site, 'url'>, jar: Map<string, string> = new Map()) {
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    { headers = {} }: Request = {},
    body?: URLSearchParams | FormData,
  ) => {
    const response = await fetch(site.url + path, {
      method,
      redirect: 'manual',
      body,
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...headers,
      },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      if (/Max-Age=0(;|$)/.test(cookie)) jar.delete(name)
      else jar.set(name, pair.slice(pair.indexOf('=') + 1))
    }
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      text: await response.text(),
    }
  }
  return {
    jar,
    get: (path: string, request?: Request) => send('GET', path, request),
    /** Sends fields as they are, without a token unless one is given. */
    post: (path: string, fields: Record<string, string>, request?: Request) =>
      send('POST', path, request, new URLSearchParams(fields)),
    /** The same to a form that takes a file. */
    postWithFile(path: string, fields: Record<string, string>, request?: Request) {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      form.set('file', new Blob(['evil']), 'evil.txt')
      return send('POST', path, request, form)
    },
    /** The token that the forms of a page carry. */
    async token(page: string): Promise<string> {
      const { text } = await send('GET', page)
      return /name="csrf" value="([\w-]+)"/.exec(text)?.[1] ?? ''
    },
    /** Opens a page and sends a form of it. */
    async submit(page: string, action: string, fields: Record<string, string>) {
      return send(
        'POST',
        action,
        {},
        new URLSearchParams({ csrf: await this.token(page), ...fields }),
      )
    },
  }
}
