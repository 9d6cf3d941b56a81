/** Bundles for clients with `transfer.bundleURI` (gitprotocol-v2, "bundle-uri"). */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCaller } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { Exchange } from '#http/exchange.ts'
import { GitServer } from '#http/git/git-server.ts'
import { git, tryGit } from '../../git/support/real-git.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
const eve = await world.user('eve')
await world.workspace('acme', { owner: ada, members: [] })
await world.repo('acme/open')
await world.repo('acme/small')
await world.repo('acme/secret', { private: true })

const tokenOf = (person: UserCaller): Promise<string> =>
  world.write((tx) => {
    const options = {
      actor_id: person.id,
      kind: 'user' as const,
      name: 'git',
      source: 'settings' as const,
      scopes: null,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
    }
    return issueToken(tx, options).secret
  })
const [adas, eves] = [await tokenOf(ada), await tokenOf(eve)]

const gitServer = new GitServer(hearth)
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  fetch: (request, listener) =>
    gitServer.handle(new Exchange(hearth, request, listener)) ??
    new Response('not git', { status: 418 }),
})
const home = mkdtempSync(join(tmpdir(), 'hearth-bundle-'))
const source = join(home, 'source')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const url = (path: string, token = adas) => `http://x:${token}@127.0.0.1:${server.port}/${path}.git`
const address = (path: string) => `http://127.0.0.1:${server.port}/${path}`

async function commit(message: string, bytes: number): Promise<string> {
  writeFileSync(
    join(source, 'data'),
    crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65536))),
  )
  for (let i = 0; i < bytes / 65536; i++)
    writeFileSync(
      join(source, `data-${message}-${i}`),
      crypto.getRandomValues(new Uint8Array(65536)),
    )
  await git(source, 'add', '.')
  await git(source, 'commit', '-q', '-m', message)
  return await git(source, 'rev-parse', 'HEAD')
}

/** The addresses that the command `bundle-uri` lists. */
async function listed(path: string, token = adas): Promise<string[]> {
  const answer = await fetch(address(`${path}.git/git-upload-pack`), {
    method: 'POST',
    headers: {
      ...bearer(token),
      'git-protocol': 'version=2',
      'content-type': 'application/x-git-upload-pack-request',
    },
    body: '0017command=bundle-uri\n0000',
  })
  expect(answer.status).toBe(200)
  return [...(await answer.text()).matchAll(/bundle\.\w+\.uri=(.*)\n/g)].map(([, uri = '']) => uri)
}

let first = ''
beforeAll(async () => {
  await git(home, 'init', '-q', source)
  first = await commit('first', 2 << 20)
  await git(source, 'push', '-q', url('acme/open'), 'HEAD:main')
  await git(source, 'push', '-q', url('acme/secret'), 'HEAD:main')
}, 120_000)

afterAll(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true, force: true })
})

test('version 2 offers the command, and a bundle where it pays', async () => {
  const offer = await fetch(address('acme/open.git/info/refs?service=git-upload-pack'), {
    headers: { 'git-protocol': 'version=2' },
  })
  expect(await offer.text()).toContain('bundle-uri\n')
  expect(await listed('acme/open')).toEqual([`./bundle/${first}.bundle`])
  expect(await listed('acme/small')).toEqual([])
})

test('git takes the bundle, whole and by range', async () => {
  const from = address(`acme/open.git/bundle/${first}.bundle`)
  // The second time it comes from the cache, which knows its length.
  await (await fetch(from)).bytes()
  const whole = await fetch(from)
  const bytes = await whole.bytes()
  expect(Number(whole.headers.get('content-length'))).toBe(bytes.length)
  writeFileSync(join(home, 'whole.bundle'), bytes)
  expect(await git(source, 'bundle', 'list-heads', join(home, 'whole.bundle'))).toBe(
    `${first} refs/heads/main`,
  )
  expect((await tryGit(source, ['bundle', 'verify', join(home, 'whole.bundle')])).code).toBe(0)

  const etag = whole.headers.get('etag') ?? ''
  const part = async (range: string, condition = etag) =>
    await fetch(from, { headers: { range, 'if-range': condition } })
  const start = await part('bytes=0-99999')
  expect(start.status).toBe(206)
  const rest = await part('bytes=100000-')
  expect(rest.headers.get('content-range')).toBe(`bytes 100000-${bytes.length - 1}/${bytes.length}`)
  const joined = Buffer.concat([await start.bytes(), await rest.bytes()])
  expect(Buffer.compare(joined, bytes)).toBe(0)
  expect((await part('bytes=5-', '"another"')).status).toBe(200)
  expect((await part(`bytes=${bytes.length}-`)).status).toBe(416)

  const cloned = await tryGit(home, [
    'clone',
    '-q',
    `--bundle-uri=${from}`,
    url('acme/open'),
    'copy',
  ])
  expect(cloned.err).not.toContain('failed')
  expect(await git(join(home, 'copy'), 'rev-parse', 'HEAD', 'refs/bundles/main')).toBe(
    `${first}\n${first}`,
  )
})

test('only who may read the repository gets it, and only the one that is offered', async () => {
  await listed('acme/secret')
  const status = async (path: string, token?: string) =>
    (await fetch(address(path), { headers: token === undefined ? {} : bearer(token) })).status
  const secret = `acme/secret.git/bundle/${first}.bundle`
  expect(await status(secret)).toBe(401)
  expect(await status(`acme/missing.git/bundle/${first}.bundle`)).toBe(401)
  expect(await status(secret, eves)).toBe(404)
  expect(await status(secret, adas)).toBe(200)
  expect(await status(`acme/open.git/bundle/${'0'.repeat(40)}.bundle`)).toBe(404)
  // Its commit is in the repository, but nobody was told of such a bundle.
  expect(await status(`acme/small.git/bundle/${first}.bundle`, adas)).toBe(404)
  const posted = await fetch(address(secret), { method: 'POST', headers: bearer(adas), body: 'x' })
  expect(posted.status).toBe(405)
})

test('a push leaves the bundle as it is; a rewritten branch ends it', async () => {
  const second = await commit('second', 1000)
  await git(source, 'push', '-q', url('acme/open'), 'HEAD:main')
  expect(await listed('acme/open')).toEqual([`./bundle/${first}.bundle`])
  expect((await fetch(address(`acme/open.git/bundle/${first}.bundle`))).status).toBe(200)

  await git(source, 'checkout', '-q', '--orphan', 'anew')
  const anew = await commit('anew', 1000)
  await world.call(updateRepo, ada, { repo: 'acme/open', protected: false })
  await git(source, 'push', '-q', '--force', url('acme/open'), 'HEAD:main')
  const statusOf = async (oid: string) =>
    (await fetch(address(`acme/open.git/bundle/${oid}.bundle`))).status
  // Nobody has asked since, so the forge still knows that it offered the first one.
  expect(await Promise.all([first, second].map(statusOf))).toEqual([404, 404])
  expect(await listed('acme/open')).toEqual([`./bundle/${anew}.bundle`])
  expect(await Promise.all([first, second, anew].map(statusOf))).toEqual([404, 404, 200])
})
