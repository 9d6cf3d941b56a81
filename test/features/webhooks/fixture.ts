/** A forge with a receiver of webhooks on this machine, which the operator allows. */
import { afterAll } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { createIssue } from '#features/issues/create-issue.ts'
import type { UserCaller } from '#core/caller.ts'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { listWebhookDeliveries } from '#features/webhooks/list-webhook-deliveries.ts'
import { getWebhook } from '#features/webhooks/get-webhook.ts'
import type { Settings } from '#core/settings.ts'
import { makeWorld } from '../../world.ts'

export type Received = { readonly path: string; readonly headers: Headers; readonly body: string }
export type Message = {
  id: string
  type: string
  time: string
  workspace: string
  repository: { id: string; full_name: string } | null
  actor: { id: string; username: string } | null
  data: Record<string, unknown>
}

/** Answers by the first word of the path: a status, or something that goes wrong. */
export function receiver() {
  const got: Received[] = []
  let answer: ((request: Request) => Response | Promise<Response>) | null = null
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      got.push({ path: pathname, headers: request.headers, body: await request.text() })
      if (answer) return answer(request)
      const status = Number(pathname.split('/')[1])
      if (status >= 300 && status < 400)
        return new Response(null, { status, headers: { location: '/200/elsewhere' } })
      return new Response(`answer ${status || 200}`, {
        status: status || 200,
        headers: { 'x-mood': 'fine' },
      })
    },
  })
  afterAll(() => server.stop(true))
  return {
    url: (path = '') => `http://127.0.0.1:${server.port}${path}`,
    got,
    /** Another answer from now on; null for the usual one. */
    answerWith: (given: typeof answer) => void (answer = given),
    types: (path?: string) =>
      got
        .filter((one) => path === undefined || one.path === path)
        .map(({ headers }) => headers.get('x-svc-event')),
    messages: () => got.map(({ body }) => JSON.parse(body) as Message),
  }
}

export async function makeHookWorld(change: Partial<Settings> = {}) {
  const at = receiver()
  const world = await makeWorld({ outbound_allow: ['http://127.0.0.1'], ...change })
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const repo = await world.repo('acme/site', { as: ada })
  await world.jobs()
  type New = Partial<NonNullable<(typeof createWebhook)['__input']>>
  const hook = async (input: New = {}, as: UserCaller = ada) => {
    const target = input.workspace === undefined ? { repo: 'acme/site' } : {}
    return world.call(createWebhook, as, { ...target, url: at.url('/200'), ...input })
  }
  return {
    world,
    ada,
    bob,
    repo,
    at,
    hook,
    db: world.hearth.db,
    clock: world.clock,
    deliveries: async (
      id: string,
      input: {
        workspace?: string
        state?: 'sent' | 'delivered' | 'waiting' | 'failed' | 'cancelled'
      } = {},
    ) =>
      (
        await world.call(listWebhookDeliveries, ada, {
          ...(input.workspace === undefined ? { repo: 'acme/site' } : {}),
          id,
          ...input,
        })
      ).items,
    look: (id: string) => world.call(getWebhook, ada, { repo: 'acme/site', id }),
    /** Runs what is due, then lets the time pass and runs again. */
    after: async (milliseconds: number) => {
      world.clock.advance(milliseconds)
      await world.jobs()
    },
  }
}

/** The same with issues, whose events a webhook can subscribe to. */
export async function makeIssueHookWorld(change: Parameters<typeof makeHookWorld>[0] = {}) {
  const hooks = await makeHookWorld(change)
  let made = 0
  return {
    ...hooks,
    issue: () =>
      hooks.world.call(createIssue, hooks.ada, { repo: 'acme/site', title: `Issue ${++made}` }),
    issues: ['issue.opened'],
  }
}

/** A receiver that speaks no HTTP, or not to the end. */
export const rawReceiver = (answer: (socket: Socket) => void): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => answer(socket))
    })
    server.unref()
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}/`),
    )
  })
