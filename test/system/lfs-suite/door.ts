/**
 * Stands between git-lfs' own cases and a forge. The cases ask one server for `/<name>` with the
 * password `user:pass`, make repositories in its folder, and expect git itself to need no password.
 * Requests for a repository go to `acme/<name>` of the forge, which is made when it is first asked
 * for. All else goes to git-lfs' own server.
 */
import type { Server } from 'bun'

export type Door = {
  readonly url: string
  close(): Promise<void>
}

export type DoorForge = {
  readonly url: string
  readonly token: string
  create(name: string): Promise<void>
}

/** What the cases ask git-lfs' own server for. */
const OWN = /^\/(shutdown|storage|verify|redirect307|limits|status)(\/|$)/
const REPO = /^\/([\w.-]+?)(?:\.git)?(\/.*)$/
/** Told where git-lfs' own server is, which starts with the first case of a file. */
export const LEAD = '/lead-to-own'
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
      return await pass(request, `${forge.url}/acme/${name}.git${rest}${search}`, headers)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    close: () => server.stop(true),
  }
}
