/**
 * A forge that is told to stop while much is under way: it ends with 0, everything that had begun
 * has its end, and the next start goes on.
 */
import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import {
  createConnection,
  createServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, startForge, type ForgeProcess } from '../../scripts/support/forge.ts'
import { git, runGit, withToken } from '../../scripts/support/git.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

await requireExecutable()
const root = mkdtempSync(join(tmpdir(), 'hearth-stop-'))
const running = new Set<ForgeProcess>()
const fronts = new Set<Server>()
afterAll(async () => {
  for (const front of fronts) front.close()
  for (const forge of running) await forge.kill()
  rmSync(root, { recursive: true, force: true })
})

async function serve(): Promise<ForgeProcess> {
  const forge = await startForge({
    executable: EXECUTABLE,
    data: join(root, 'data'),
    log: join(root, 'log'),
    environment: { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' },
  })
  running.add(forge)
  return forge
}

/** A front that lets so many bytes pass in a direction, and the rest when it is told to. */
async function slowFront(port: number, most: { up: number; down: number }) {
  const go = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const pass = (from: Socket, to: Socket, limit: number): void => {
    let seen = 0
    from.on('data', async (data: Buffer) => {
      seen += data.length
      from.pause()
      if (seen > limit) {
        held.resolve()
        await go.promise
      }
      if (to.write(data)) from.resume()
      else to.once('drain', () => from.resume())
    })
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
  }
  const front = createServer((client) => {
    const server = createConnection(port, '127.0.0.1')
    pass(client, server, most.up)
    pass(server, client, most.down)
  })
  fronts.add(front)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/acme/site.git`,
    held: held.promise,
    go: go.resolve,
  }
}

test('a clone, a push, a write and a delivery are under way, and somebody looks at a live page', async () => {
  const forge = await serve()
  const { token, cookie } = await claim(forge)
  const port = Number(new URL(forge.url).port)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (at: ForgeProcess, path: string, body: object) =>
    await fetch(`${at.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect((await post(forge, '/api/v1/repos', { workspace: 'acme', name: 'site' })).status).toBe(200)
  expect((await post(forge, '/api/v1/repos/acme/site/issues', { title: 'before' })).status).toBe(
    200,
  )
  const clone = join(root, 'clone')
  mkdirSync(clone)
  await git(clone, 'init', '-q', '-b', 'main')
  const commit = async (name: string, bytes: number) => {
    writeFileSync(join(clone, name), randomBytes(bytes))
    await git(clone, 'add', '.')
    await git(clone, 'commit', '-q', '-m', name)
  }
  await commit('first', 24 * 1024 * 1024)
  await git(clone, 'push', '-q', withToken(`${forge.url}/acme/site.git`, token), 'main')

  // More than the buffers between them hold is still to be sent and to come.
  const down = await slowFront(port, { down: 1024 * 1024, up: Infinity })
  const up = await slowFront(port, { down: Infinity, up: 1024 * 1024 })
  await commit('second', 8 * 1024 * 1024)
  const cloned = runGit(root, ['clone', '-q', withToken(down.url, token), 'again'])
  const pushed = runGit(clone, ['push', '-q', withToken(up.url, token), 'main:work'])
  const early = Promise.race([cloned, pushed]).then(({ error }) => {
    throw new Error(`it ended before it was held: ${error}`)
  })
  await Promise.race([Promise.all([down.held, up.held]), early])

  // A receiver that does not answer holds a job.
  const called = Promise.withResolvers<void>()
  let answers = false
  const deliveries: string[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      deliveries.push(request.headers.get('x-svc-delivery') ?? '')
      called.resolve()
      if (!answers) await new Promise(() => {})
      return new Response(null, { status: 204 })
    },
  })
  expect(
    (
      await post(forge, '/api/repos/acme/site/hooks', {
        url: receiver.url.href,
        secret: 'the secret of the webhook',
      })
    ).status,
  ).toBe(201)
  expect((await post(forge, '/api/v1/repos/acme/site/issues', { title: 'told' })).status).toBe(200)
  await called.promise

  const body = JSON.stringify({ title: 'under way' })
  const write = createConnection(port, '127.0.0.1')
  await new Promise<void>((resolve) => write.once('connect', () => resolve()))
  let said = ''
  write.on('data', (data) => (said += data.toString()))
  write.write(
    `POST /api/v1/repos/acme/site/issues HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  )

  // A page that follows what happens would otherwise go on for as long as somebody looks at it.
  const page = await (
    await fetch(`${forge.url}/acme/site/issues/1`, { headers: { cookie } })
  ).text()
  const live = await fetch(
    forge.url + (/"([^"]*\/live[^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&'),
    { headers: { cookie } },
  )
  expect(live.headers.get('content-type')).toContain('text/event-stream')
  const followed = live.text()

  const status = forge.stop()
  expect(await followed).toContain('retry')
  write.write(body.slice(5))
  down.go()
  up.go()
  expect(await cloned).toMatchObject({ status: 0 })
  expect(await pushed).toMatchObject({ status: 0 })
  expect(await status).toBe(0)
  expect(said).toStartWith('HTTP/1.1 200')
  await git(join(root, 'again'), 'fsck', '--strict')

  answers = true
  const next = await serve()
  const remote = withToken(`${next.url}/acme/site.git`, token)
  expect(await git(clone, 'ls-remote', remote, 'refs/heads/work')).toContain(
    (await git(clone, 'rev-parse', 'HEAD')).trim(),
  )
  const listed = (await (
    await fetch(`${next.url}/api/v1/repos/acme/site/issues`, { headers })
  ).json()) as { title: string }[]
  expect(listed.map(({ title }) => title).sort()).toEqual(['before', 'told', 'under way'])
  // The delivery that was cut off comes again, under the same id.
  while (deliveries.filter((id) => id === deliveries[0]).length < 2) await Bun.sleep(10)
  await receiver.stop(true)
  expect(await next.stop()).toBe(0)
}, 120_000)
