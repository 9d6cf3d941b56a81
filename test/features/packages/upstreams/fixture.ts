/** A workspace with an upstream, which is a real HTTP server that may misbehave. */
import { afterAll } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { setPackageUpstream } from '#features/packages/upstreams/set-package-upstream.ts'
import type { UpstreamType } from '#features/packages/upstreams/schema.ts'
import { serveSite } from '../../../web/visitor.ts'
import { makeWorld } from '../../../world.ts'

export const workspace = 'acme'

type Answer = (request: Request) => Response | Promise<Response>

/** A registry whose answers a test sets by path. It counts requests. */
export function startRegistry() {
  const answers = new Map<string, Answer>()
  const requests: { url: string; headers: Headers }[] = []
  const registry = {
    url: '',
    isDown: false,
    requests,
    set: (path: string, answer: Answer | BodyInit | object): void => {
      const respond: Answer =
        typeof answer === 'function'
          ? (answer as Answer)
          : typeof answer === 'string' || answer instanceof Uint8Array
            ? () => new Response(answer as BodyInit)
            : () => Response.json(answer)
      answers.set(path, respond)
    },
    remove: (path: string): void => void answers.delete(path),
    count: (path: string): number =>
      requests.filter(({ url }) => new URL(url).pathname === path).length,
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      requests.push({ url: request.url, headers: new Headers(request.headers) })
      if (registry.isDown) return new Response('away', { status: 503 })
      const answer = answers.get(new URL(request.url).pathname)
      return answer ? await answer(request) : new Response('not here', { status: 404 })
    },
  })
  registry.url = `http://127.0.0.1:${server.port}`
  afterAll(() => server.stop(true))
  return registry
}

/** ada owns acme, mel is a member, zoe is a stranger. */
export async function makeUpstreamWorld() {
  const world = await makeWorld({ outbound_allow: ['http://127.0.0.1'] })
  const [ada, mel, zoe] = await Promise.all(['ada', 'mel', 'zoe'].map((name) => world.user(name)))
  if (!ada || !mel || !zoe) throw new Error('nobody')
  await world.workspace(workspace, { owner: ada, members: [mel] })
  const registry = startRegistry()
  const set = (package_type: UpstreamType, change: object = {}, who = ada) =>
    world.call(setPackageUpstream, who, {
      workspace,
      package_type,
      url: registry.url,
      ...change,
    })
  return { world, ada, mel, zoe, registry, set }
}

/** The same, with a server and a token of the member. */
export async function makeServedUpstream(type: UpstreamType, change: object = {}) {
  const all = await makeUpstreamWorld()
  await all.set(type, change)
  const site = serveSite(all.world)
  const token = async (who: SignedIn = all.mel, scopes = ['packages:write']): Promise<string> =>
    (await all.world.call(createToken, who as never, { name: 'ci', scopes })).secret ?? ''
  const secret = await token()
  const sendAs = (by: string | null, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${site.url}/packages/${workspace}/${type}/${path}`, {
      redirect: 'manual',
      ...init,
      headers: {
        ...(by !== null && { authorization: `Bearer ${by}` }),
        ...(init.headers as Record<string, string> | undefined),
      },
    })
  return {
    ...all,
    site,
    token,
    sendAs,
    send: (path: string, init?: RequestInit) => sendAs(secret, path, init),
  }
}

export const digestOf = (
  algorithm: 'sha1' | 'sha256' | 'sha512',
  bytes: string | Uint8Array,
): string => new Bun.CryptoHasher(algorithm).update(bytes).digest('hex')
