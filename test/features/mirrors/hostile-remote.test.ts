/** Remotes that send this forge to addresses of its own network, or flood it before the sign-in. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { createServer, type AddressInfo } from 'node:net'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { syncMirror } from '#features/mirrors/sync-mirror.ts'
import { startBackend } from '../../git/support/backend.ts'
import { discard, git, scratch } from '../../git/support/real-git.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld({ outbound_allow: ['http://127.0.0.1', '127.0.0.1'] })
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
const work = scratch()
const backend = startBackend(work)
const asked: string[] = []
/** A service of this machine that no setting allows. */
const inner = Bun.serve({
  hostname: '127.0.0.2',
  port: 0,
  fetch: ({ url }) => {
    asked.push(url)
    return new Response('secret of the inner network')
  },
})
afterAll(async () => {
  await inner.stop(true)
  await backend.close()
  discard(work)
})
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function mirrorOf(name: string, url: string) {
  const repo = `acme/${name}`
  await world.repo(repo)
  await world.call(createMirror, ada, { repo, url, role: 'leader' })
  await world.jobs()
  return await linkOf(repo)
}

async function linkOf(repo: string) {
  const { remotes } = await world.call(getMirror, ada, { repo })
  return remotes[0]
}

test('a remote that sends elsewhere reaches no address that is not allowed', async () => {
  const places = [`127.0.0.2:${inner.port}`, `[::ffff:127.0.0.2]:${inner.port}`, '10.0.0.1']
  for (const [at, place] of places.entries()) {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => {
        const { pathname, search } = new URL(url)
        return Response.redirect(`http://${place}${pathname}${search}`, 302)
      },
    })
    closers.push(() => server.stop(true))
    expect(await mirrorOf(`sent-${at}`, `http://127.0.0.1:${server.port}/x.git`)).toMatchObject({
      state: 'setting_up',
      synced_at: null,
      last_error: expect.stringContaining('outbound.allow'),
    })
  }
  expect(asked).toEqual([])
})

test('a large file of a remote is not fetched from an address that is not allowed', async () => {
  const oid = 'a'.repeat(64)
  await git(work, 'init', '-q', '-b', 'main', 'large')
  await Bun.write(
    `${work}/large/cover.psd`,
    `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 27\n`,
  )
  await Bun.write(`${work}/large/.gitattributes`, '*.psd filter=lfs diff=lfs merge=lfs -text\n')
  await git(`${work}/large`, 'add', '.')
  await git(`${work}/large`, 'commit', '-qm', 'A large file')
  await git(work, 'clone', '-q', '--bare', 'large', 'large.git')
  let batches = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname.endsWith('/info/lfs/objects/batch')) {
        batches++
        const actions = { download: { href: `http://127.0.0.2:${inner.port}/metadata` } }
        return Response.json({ transfer: 'basic', objects: [{ oid, size: 27, actions }] })
      }
      const answer = await fetch(`${backend.url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: request.method === 'POST' ? await request.bytes() : null,
      })
      return new Response(await answer.bytes(), {
        status: answer.status,
        headers: { 'content-type': answer.headers.get('content-type') ?? '' },
      })
    },
  })
  closers.push(() => server.stop(true))
  const link = await mirrorOf('large', `http://127.0.0.1:${server.port}/large.git`)
  expect(batches).toBe(1)
  expect(asked).toEqual([])
  expect(JSON.stringify([link?.last_error, link?.left_out])).toContain('outbound.allow')
})

test('a remote over SSH that is no longer allowed sees no connection', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  const { port } = server.address() as AddressInfo
  await mirrorOf('inner', `ssh://git@127.0.0.1:${port}/x.git`)
  const before = connections
  expect(before).toBeGreaterThan(0)
  const { outbound_allow } = world.hearth.settings
  Object.assign(world.hearth.settings, { outbound_allow: [] })
  closers.push(() => Object.assign(world.hearth.settings, { outbound_allow }))
  await world.call(syncMirror, ada, { repo: 'acme/inner' })
  await world.jobs()
  expect((await linkOf('acme/inner'))?.last_error).toContain('outbound.allow')
  expect(connections).toBe(before)
})

test('a remote that greets without an end is given up', async () => {
  for (const line of [`${'welcome '.repeat(1000)}\r\n`, '\r'.repeat(8000)]) {
    let sent = 0
    const server = createServer((socket) => {
      socket.on('error', () => {})
      const greet = (): void => {
        if (socket.destroyed) return
        sent += line.length
        socket.write(line, greet)
      }
      greet()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    closers.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const link = await mirrorOf(`greets-${line.length}`, `ssh://git@127.0.0.1:${port}/x.git`)
    expect(link?.last_error).toContain('cannot be reached over SSH')
    // What the system holds for both ends comes on top.
    expect(sent).toBeLessThan(16 << 20)
  }
})
