/**
 * Webhooks across a crash: the built executable sends to a real receiver, is killed while it does,
 * and started again on the same data. Every event that was answered for arrives, signed, and under
 * one delivery id for each webhook.
 */
import { afterAll, expect, test } from 'bun:test'
import { verify } from '@octokit/webhooks-methods'
import { api, claim, startForge, visitor } from './forge.ts'

type Call = { hook: string; delivery: string; event: string; type: string; signed: boolean }

const secrets = new Map<string, string>()
const calls: Call[] = []
/** Answers only while it is open, so that the kill finds deliveries on their way. */
let isOpen = true
const waiting: (() => void)[] = []
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = await request.text()
    const hook = request.headers.get('x-svc-hook') ?? ''
    const { id, type } = JSON.parse(body) as { id: string; type: string }
    const signature = request.headers.get('x-svc-signature-256') ?? ''
    const secret = secrets.get(new URL(request.url).pathname) ?? ''
    calls.push({
      hook,
      delivery: request.headers.get('x-svc-delivery') ?? '',
      event: id,
      type,
      signed: await verify(secret, body, signature),
    })
    if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve))
    return new Response(null, { status: 204 })
  },
})
afterAll(() => receiver.stop(true))

test('a kill in the middle loses no delivery and makes none of them a new one', async () => {
  const environment = { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' }
  const first = await startForge({ environment })
  const { page, context } = await visitor({ javaScript: false })
  const token = await claim(page, first)
  await context.close()

  let ask = api(first, token)
  expect(
    (await ask('POST', '/v1/repos', { workspace: 'ada', name: 'site', private: true })).status,
  ).toBe(200)
  for (const path of ['/one', '/two']) {
    const secret = `the secret of the webhook${path}`
    secrets.set(path, secret)
    const made = await ask(
      'POST',
      path === '/one' ? '/repos/ada/site/hooks' : '/workspaces/ada/hooks',
      { url: `http://127.0.0.1:${receiver.port}${path}`, secret },
    )
    expect([made.status, (made.body as { secret: string }).secret]).toEqual([201, secret])
  }
  expect((await ask('POST', '/repos/ada/site/hooks', { url: 'https://127.0.0.2/' })).status).toBe(
    422,
  )

  isOpen = false
  let answered = 0
  const made = Array.from({ length: 60 }, async (_, n) => {
    if ((await ask('POST', '/v1/repos/ada/site/issues', { title: `Issue ${n}` })).status < 300)
      answered++
  })
  while (waiting.length < 12) await Bun.sleep(5)
  first.child.kill('SIGKILL')
  await Promise.allSettled(made)
  await first.child.exited
  const before = calls.length
  expect(answered).toBeGreaterThan(0)

  isOpen = true
  for (const go of waiting) go()
  const second = await startForge({ directory: first.directory, environment, setup: false })
  ask = api(second, token)
  const { headers } = await ask('GET', '/v1/repos/ada/site/issues?per_page=1')
  const issues = Number(headers.get('x-total-count'))
  expect(issues).toBeGreaterThanOrEqual(answered)
  const hooks = (): string[] => [...new Set(calls.map(({ hook }) => hook))]
  const opened = (hook: string): Call[] =>
    calls.filter((call) => call.hook === hook && call.type === 'issue.opened')
  const all = (): boolean =>
    hooks().length === 2 &&
    hooks().every((hook) => new Set(opened(hook).map(({ event }) => event)).size === issues)
  while (!all()) await Bun.sleep(20)

  expect(calls.length).toBeGreaterThan(before)
  expect(calls.every(({ signed }) => signed)).toBe(true)
  for (const hook of hooks()) {
    const ids = new Map<string, Set<string>>()
    for (const { event, delivery } of opened(hook))
      ids.set(event, (ids.get(event) ?? new Set()).add(delivery))
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([])
  }
  // What was on its way when it was killed came again.
  expect(calls.length).toBeGreaterThan(new Set(calls.map(({ delivery }) => delivery)).size)
  expect(await second.stop()).toBe(0)
  const log = await second.log()
  for (const secret of secrets.values()) expect(log).not.toContain(secret)
}, 120_000)
