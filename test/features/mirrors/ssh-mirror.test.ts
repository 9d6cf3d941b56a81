/** Mirrors over SSH: this forge's own server is the remote, which lets deploy keys in. */
import { afterAll, expect, test } from 'bun:test'
import { addDeployKey } from '#features/keys/add-deploy-key.ts'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { watchMirrors } from '#features/mirrors/jobs.ts'
import { syncMirror } from '#features/mirrors/sync-mirror.ts'
import { updateMirror } from '#features/mirrors/update-mirror.ts'
import { repoByPath } from '#features/repos/index.ts'
import { startSshServer } from '#src/ssh/ssh-server.ts'
import { sshHostKeys } from '#lib/ssh/ssh-host-keys.ts'
import { listen, serveSite } from '../../web/visitor.ts'
import { listRefsOf } from '../imports/refs.ts'
import { fileOf, makeLfsWorld, OTHER, pointerOf, REPO } from '../lfs/fixture.ts'
import { findObject } from '#features/lfs/store-objects.ts'

const listening = listen()
const { url } = listening.server
const it = await makeLfsWorld({
  site_url: url,
  base_url: `${url}/api`,
  mcp_url: `${url}/mcp`,
  outbound_allow: ['http://127.0.0.1'],
})
const { world, ada } = it
serveSite(world, listening)
const server = await startSshServer(world.hearth, { host: '127.0.0.1', port: 0 })
afterAll(() => server.stop())

const remote = `ssh://git@127.0.0.1:${server.port}/${REPO}.git`
const hostKey = sshHostKeys(world.hearth.settings.data)[0]?.fingerprint ?? ''

async function watch(): Promise<void> {
  world.clock.advance(61_000)
  await world.write((tx) => void tx.enqueue(watchMirrors, null, { key: 'sweep' }))
  await world.jobs()
}

async function linkOf(repo: string) {
  const { remotes } = await world.call(getMirror, ada, { repo })
  const [link] = remotes
  if (!link) throw new Error('no link')
  return link
}

const letIn = (key: string | null, read_only: boolean) =>
  world.call(addDeployKey, ada, { repo: REPO, title: 'mirror', key: key ?? '', read_only })

test('a mirror waits for its key, then follows, with large files', async () => {
  const text = 'a large cover'
  await it.store(text)
  await world.commit(REPO, 'main', { 'cover.psd': pointerOf(text) })
  await world.call(createMirror, ada, { repo: OTHER, url: remote, role: 'leader' })
  await world.jobs()
  for (let minute = 0; minute < 4; minute++) await watch()
  const waiting = await linkOf(OTHER)
  expect(waiting).toMatchObject({
    url: remote,
    state: 'setting_up',
    host_key: hostKey,
    last_error: expect.stringContaining('does not accept the key of this mirror'),
  })
  expect(waiting.ssh_public_key).toMatch(/^ssh-ed25519 [A-Za-z0-9+/]+ 127\.0\.0\.1$/)

  await letIn(waiting.ssh_public_key, true)
  await watch()
  expect(await linkOf(OTHER)).toMatchObject({ state: 'standing_by', last_error: null })
  expect(listRefsOf(world.hearth, OTHER)).toEqual(listRefsOf(world.hearth, REPO))
  const row = repoByPath(world.hearth.db, OTHER)
  expect(row && findObject(world.hearth.db, row.id, fileOf(text).oid)).not.toBeNull()
})

test('another host key is never accepted, until somebody names it', async () => {
  const { id } = await linkOf(OTHER)
  const wrong = `SHA256:${'A'.repeat(43)}`
  await world.call(updateMirror, ada, { repo: OTHER, id, host_key: wrong })
  await world.jobs()
  expect(await linkOf(OTHER)).toMatchObject({
    host_key: wrong,
    reachable: true,
    last_error: `127.0.0.1:${server.port} shows another host key than before: ${hostKey}`,
  })
  await world.call(updateMirror, ada, { repo: OTHER, id, host_key: hostKey })
  await world.jobs()
  expect(await linkOf(OTHER)).toMatchObject({ last_error: null, state: 'standing_by' })
})

test('a server that is away is an outage, as over https', async () => {
  await world.repo('acme/away')
  const away = `ssh://git@127.0.0.1:1/acme/away.git`
  await world.call(createMirror, ada, { repo: 'acme/away', url: away, role: 'follower' })
  await world.jobs()
  for (let minute = 0; minute < 3; minute++) await watch()
  const link = await linkOf('acme/away')
  expect(link.reachable).toBe(false)
  expect(link.last_error).toStartWith('127.0.0.1:1 cannot be reached over SSH')
})

test('a follower is pushed to with a key that may write', async () => {
  await world.repo('acme/home')
  await world.repo('acme/copy')
  await world.commit('acme/home', 'main', { 'a.txt': 'one\n' })
  const to = `git@127.0.0.1:acme/copy.git`
  const made = await world.call(createMirror, ada, { repo: 'acme/home', url: to, role: 'follower' })
  const [link] = made.remotes
  // The short form has no port, so the long one is given afterwards.
  expect(link?.url).toBe('ssh://git@127.0.0.1/acme/copy.git')
  const copy = `ssh://git@127.0.0.1:${server.port}/acme/copy.git`
  await world.call(updateMirror, ada, { repo: 'acme/home', id: link?.id ?? '', url: copy })
  const key = (await linkOf('acme/home')).ssh_public_key ?? ''
  expect(key).toBe(link?.ssh_public_key ?? '')
  await world.call(addDeployKey, ada, {
    repo: 'acme/copy',
    title: 'mirror',
    key,
    read_only: false,
  })
  await world.call(syncMirror, ada, { repo: 'acme/home' })
  await world.jobs()
  expect(await linkOf('acme/home')).toMatchObject({ state: 'following', last_error: null })
  expect(listRefsOf(world.hearth, 'acme/copy')).toEqual(listRefsOf(world.hearth, 'acme/home'))
})

test('addresses of SSH are checked before anything is stored', async () => {
  for (const [address, message] of [
    ['ssh://git:secret@127.0.0.1/a/b.git', 'must not hold a password'],
    [`ssh://git@127.0.0.1/a'b.git`, 'characters that it cannot have'],
    [`ssh://git@127.0.0.1/a%27;id;%27b.git`, 'characters that it cannot have'],
    ['ssh://git@127.0.0.1/a%5Cb.git', 'characters that it cannot have'],
    ['ssh://git@127.0.0.1/a%FFb.git', 'characters that it cannot have'],
    ['ssh://g%FFt@127.0.0.1/a/b.git', 'is no text'],
    ['ssh://git@127.0.0.1/', 'the path of the repository is missing'],
    ['ssh://git@10.0.0.1/a/b.git', 'is not a public address'],
    ['ext::sh -c id', 'https://'],
  ] as const)
    await expect(
      world.call(createMirror, ada, { repo: 'acme/home', url: address, role: 'follower' }),
    ).rejects.toThrow(message)
})
