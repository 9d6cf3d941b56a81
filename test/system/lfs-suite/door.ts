/**
 * Stands between git-lfs' own cases and a forge. The cases ask one server for `/<name>` with the
 * password `user:pass`, make repositories in its folder, and expect git itself to need no password.
 * Requests for a repository go to `acme/<name>` of the forge, which is made when it is first asked
 * for. All else goes to git-lfs' own server, whose locks belong to "Git LFS Tests", and those of
 * paths with "theirs" to somebody else.
 */
import type { Server } from 'bun'

export type Door = {
  readonly url: string
  close(): Promise<void>
}

export type DoorForge = {
  readonly url: string
  readonly token: string
  /** Of somebody else, who may push as well. */
  readonly other: string
  create(name: string): Promise<void>
}

/** What the cases ask git-lfs' own server for. */
const OWN = /^\/(shutdown|storage|verify|redirect307|limits|status)(\/|$)/
const REPO = /^\/([\w.-]+?)(?:\.git)?(\/.*)$/
/** Told where git-lfs' own server is, which starts with the first case of a file. */
export const LEAD = '/lead-to-own'
const LOCK_OWNER = 'Git LFS Tests'
const PASSWORD = `Basic ${btoa('user:pass')}`

export function openDoor(forge: DoorForge): Door {
  const repos = new Map<string, Promise<void>>()
  let own = ''
  const pass = (request: Request, to: string, headers: Headers): Promise<Response> =>
    fetch(to, {
      method: request.method,
      headers,
      body: request.body,
      redirect: 'manual',
      decompress: false,
    })
  const lock = async (request: Request, to: string, headers: Headers): Promise<Response> => {
    const body = request.method === 'POST' ? await request.text() : null
    const isTheirs = to.endsWith('/locks') && body?.includes('theirs')
    if (isTheirs) headers.set('authorization', `Basic ${btoa(`x:${forge.other}`)}`)
    headers.delete('content-length')
    headers.delete('transfer-encoding')
    const answer = await fetch(to, { method: request.method, headers, body, redirect: 'manual' })
    const text = (await answer.text()).replaceAll(
      /"owner":\{"name":"(ada|bob)"\}/g,
      `"owner":{"name":"${LOCK_OWNER}"}`,
    )
    const given = new Headers(answer.headers)
    for (const name of ['content-length', 'content-encoding', 'transfer-encoding'])
      given.delete(name)
    return new Response(text, { status: answer.status, headers: given })
  }
  const server: Server<undefined> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname === LEAD) {
        own = await request.text()
        return new Response()
      }
      const headers = new Headers(request.headers)
      const [, name, rest = ''] = (OWN.test(pathname) ? null : REPO.exec(pathname)) ?? []
      if (name === undefined) return await pass(request, `${own}${pathname}${search}`, headers)
      const made = repos.get(name) ?? forge.create(name)
      repos.set(name, made)
      await made
      const isLfs = rest.startsWith('/info/lfs')
      if (!isLfs || headers.get('authorization') === PASSWORD)
        headers.set('authorization', `Basic ${btoa(`x:${forge.token}`)}`)
      const to = `${forge.url}/acme/${name}.git${rest}${search}`
      if (!rest.startsWith('/info/lfs/locks')) return await pass(request, to, headers)
      return await lock(request, to, headers)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    close: () => server.stop(true),
  }
}
