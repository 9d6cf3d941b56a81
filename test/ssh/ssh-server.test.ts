/** Git over SSH, with OpenSSH and git as clients. */
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'bun:test'
import { Client } from 'ssh2'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addDeployKey } from '#features/keys/add-deploy-key.ts'
import { addKey } from '#features/keys/add-key.ts'
import { removeDeployKey } from '#features/keys/remove-deploy-key.ts'
import { removeKey } from '#features/keys/remove-key.ts'
import { readRef } from '#features/repos/index.ts'
import { startSshServer } from '#src/ssh/ssh-server.ts'
import { listen, serveSite } from '../web/visitor.ts'
import { until } from '../features/checks/fixture.ts'
import { makeLfsWorld, OTHER, REPO } from '../features/lfs/fixture.ts'

const listening = listen()
const { url } = listening.server
const { world, ada, otto, rita, repo } = await makeLfsWorld({
  site_url: url,
  base_url: `${url}/api`,
  mcp_url: `${url}/mcp`,
})
serveSite(world, listening)
const server = await startSshServer(world.hearth, { host: '127.0.0.1', port: 0 })
const home = mkdtempSync(join(tmpdir(), 'hearth-ssh-'))
afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

type Ran = { code: number; out: string; err: string }

async function run(command: readonly string[], extra: Record<string, string> = {}): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd: home,
    stdout: 'pipe',
    stderr: 'pipe',
    stdin: 'ignore',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
      ...extra,
    },
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** A key pair as `ssh-keygen` makes it. */
async function newKey(name: string, ...options: string[]) {
  const file = join(home, name)
  const made = await run(['ssh-keygen', '-q', '-N', '', '-f', file, ...options])
  if (made.code !== 0) throw new Error(made.err)
  chmodSync(file, 0o600)
  return { file, line: readFileSync(`${file}.pub`, 'utf8') }
}

const hosts = join(home, 'known_hosts')
const options = (file: string): string[] => [
  '-i',
  file,
  '-F',
  '/dev/null',
  ...['StrictHostKeyChecking=accept-new', `UserKnownHostsFile=${hosts}`, 'IdentitiesOnly=yes']
    .concat(['BatchMode=yes', 'PreferredAuthentications=publickey'])
    .flatMap((option) => ['-o', option]),
]
const ssh = (file: string, ...rest: string[]): Promise<Ran> =>
  run(['ssh', ...options(file), '-p', String(server.port), 'git@127.0.0.1', ...rest])
const git = (file: string, ...args: string[]): Promise<Ran> =>
  run(['git', ...args], { GIT_SSH_COMMAND: ['ssh', ...options(file)].join(' ') })
const at = (path: string) => `ssh://git@127.0.0.1:${server.port}/${path}.git`

async function ok(file: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await git(file, ...args)
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${err}`)
  return out + err
}

writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Otto\n\temail = otto@example.com\n')
const [ottos, ritas, readers, machine] = await Promise.all([
  newKey('otto', '-t', 'ed25519'),
  newKey('rita', '-t', 'ecdsa', '-b', '256'),
  newKey('reader', '-t', 'rsa', '-b', '2048'),
  newKey('machine', '-t', 'ed25519'),
])
const ottosKey = await world.call(addKey, otto, { title: 'laptop', key: ottos.line })
await world.call(addKey, rita, { title: 'laptop', key: ritas.line })
await world.call(addKey, otto, { title: 'reads', key: readers.line, read_only: true })

async function commitAndPush(file: string, name: string, ...push: string[]): Promise<Ran> {
  writeFileSync(join(home, 'work', name), `${name}\n`)
  await ok(file, '-C', 'work', 'add', '.')
  await ok(file, '-C', 'work', 'commit', '-q', '-m', `Add ${name}`)
  return await git(file, '-C', 'work', 'push', ...push)
}

test('a person clones, pushes and fetches with a key, in each version of the protocol', async () => {
  await ok(ottos.file, 'clone', '-q', at(REPO), 'work')
  await ok(ottos.file, '-C', 'work', 'checkout', '-q', '-b', 'topic')
  const pushed = await commitAndPush(ottos.file, 'a.txt', '-u', 'origin', 'topic')
  expect([pushed.code, pushed.err.includes('topic -> topic')]).toEqual([0, true])
  const head = (await ok(ottos.file, '-C', 'work', 'rev-parse', 'HEAD')).trim()
  expect(readRef(world.hearth.db, repo.id, 'refs/heads/topic')).toBe(head)
  expect(world.events('git.push').at(-1)?.actor_id).toBe(otto.id)
  for (const version of ['0', '1', '2']) {
    const directory = `copy${version}`
    const config = ['-c', `protocol.version=${version}`]
    await ok(ritas.file, ...config, 'clone', '-q', '-b', 'topic', at(REPO), directory)
    await ok(
      ritas.file,
      ...config,
      'clone',
      '-q',
      '--depth=1',
      '-b',
      'topic',
      at(REPO),
      `${directory}-shallow`,
    )
    await commitAndPush(ottos.file, `b${version}.txt`, 'origin', 'topic')
    await ok(ritas.file, ...config, '-C', directory, 'pull', '-q')
    expect(readFileSync(join(home, directory, `b${version}.txt`), 'utf8')).toBe(`b${version}.txt\n`)
    await ok(ritas.file, ...config, '-C', `${directory}-shallow`, 'fetch', '-q', '--unshallow')
  }
  const deleted = await git(ottos.file, '-C', 'work', 'push', 'origin', ':topic')
  expect(deleted.code).toBe(0)
  expect(readRef(world.hearth.db, repo.id, 'refs/heads/topic')).toBeNull()
})

test('rights are those of the account, and of the key', async () => {
  await ok(ottos.file, '-C', 'work', 'checkout', '-q', '-B', 'topic')
  const refused = await commitAndPush(ritas.file, 'c.txt', 'origin', 'topic')
  expect([refused.code === 0, refused.err.includes('this needs the role write')]).toEqual([
    false,
    true,
  ])
  const readOnly = await git(readers.file, '-C', 'work', 'push', 'origin', 'topic')
  expect(readOnly.err).toContain('lacks the scope code:write')
  await ok(readers.file, 'ls-remote', at(REPO))
  for (const path of [OTHER, 'acme/missing']) {
    const hidden = await git(ottos.file, 'ls-remote', at(path))
    expect(hidden.err).toContain(`the repository ${path} does not exist, or you cannot see it`)
  }
  const protectedBranch = await git(ottos.file, '-C', 'work', 'push', 'origin', 'HEAD:main')
  expect(protectedBranch.err).toContain('main is protected')
})

test('a deploy key reads or writes its own repository and nothing else', async () => {
  const key = await world.call(addDeployKey, ada, {
    repo: REPO,
    title: 'server',
    key: machine.line,
    read_only: false,
  })
  await ok(machine.file, 'ls-remote', at(REPO))
  const pushed = await git(machine.file, '-C', 'work', 'push', 'origin', 'topic')
  expect(pushed.code).toBe(0)
  expect((await git(machine.file, 'ls-remote', at(OTHER))).code).not.toBe(0)
  const greeting = await ssh(machine.file)
  expect(greeting.err).toContain(`the deploy key server of ${REPO}`)
  await world.call(removeDeployKey, ada, { repo: REPO, id: key.id })
  expect((await git(machine.file, 'ls-remote', at(REPO))).err).toContain('Permission denied')
  const reading = { repo: REPO, title: 'reads', key: machine.line, read_only: true }
  const { id } = await world.call(addDeployKey, ada, reading)
  const refused = await git(machine.file, '-C', 'work', 'push', 'origin', 'topic')
  expect(refused.err).toContain('this deploy key may only read: add a key that may push')
  await world.call(removeDeployKey, ada, { repo: REPO, id })
})

test('there is a kind word in place of a shell, and no other command', async () => {
  const shell = await ssh(ottos.file)
  expect([shell.code, shell.err.includes('Hi otto! You are signed in')]).toEqual([1, true])
  for (const command of ['cat /etc/passwd', "git-upload-pack '/acme/site.git'; id", 'scp -t /tmp'])
    expect((await ssh(ottos.file, command)).out).toBe('')
  const named = await run([
    'ssh',
    ...options(ottos.file),
    '-p',
    String(server.port),
    'otto@127.0.0.1',
    'git-upload-pack acme/site.git',
  ])
  expect(named.err).toContain('sign in as git, not as otto')
})

test('git-lfs gets an address and a token of its own', async () => {
  const answer = await ssh(ottos.file, 'git-lfs-authenticate acme/site.git upload')
  const { href, header, expires_in } = JSON.parse(answer.out)
  expect([href, expires_in]).toEqual([`${url}/${REPO}.git/info/lfs`, 3600])
  const batch = await fetch(`${href}/objects/batch`, {
    method: 'POST',
    headers: header,
    body: JSON.stringify({ operation: 'upload', objects: [{ oid: 'a'.repeat(64), size: 1 }] }),
  })
  expect(batch.status).toBe(200)
  const reader = await ssh(ritas.file, 'git-lfs-authenticate acme/site.git upload')
  expect([reader.code, reader.out]).toEqual([1, ''])
  expect((await ssh(ritas.file, 'git-lfs-authenticate acme/site.git download')).code).toBe(0)
})

test('keys that nobody has are refused, and so is a key that was removed', async () => {
  const stranger = await newKey('stranger', '-t', 'ed25519')
  expect((await ssh(stranger.file)).err).toContain('Permission denied (publickey)')
  await world.call(removeKey, otto, { id: ottosKey.id })
  expect((await ssh(ottos.file)).err).toContain('Permission denied (publickey)')
})

const pkt = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`

/**
 * Begins to fetch the default branch and stops to read in the middle of the pack. `ended` tells how
 * many bytes came once the connection is closed.
 */
async function stalledFetch(file: string): Promise<{ ended: Promise<number>; client: Client }> {
  const client = new Client()
  const ended = Promise.withResolvers<number>()
  const stalled = Promise.withResolvers<void>()
  let bytes = 0
  client.on('error', (error) => stalled.reject(error))
  client.on('close', () => ended.resolve(bytes))
  client.on('ready', () =>
    client.exec(`git-upload-pack '/${REPO}.git'`, (error, channel) => {
      if (error) return stalled.reject(error)
      let advertised = ''
      channel.on('data', (data: Buffer) => {
        bytes += data.length
        if (advertised.endsWith('0000')) {
          channel.pause()
          stalled.resolve()
          return
        }
        advertised += data.toString('latin1')
        if (!advertised.endsWith('0000')) return
        const head = advertised.slice(4, 44)
        channel.write(`${pkt(`want ${head} side-band-64k\n`)}0000${pkt('done\n')}`)
      })
    }),
  )
  client.connect({
    host: '127.0.0.1',
    port: server.port,
    username: 'git',
    privateKey: readFileSync(file),
  })
  await stalled.promise
  return { ended: ended.promise, client }
}

test('a fetch that runs ends when its key is removed, and those of others go on', async () => {
  const size = 16_000_000
  const noise = Buffer.from(crypto.getRandomValues(new Uint32Array(16_384)).buffer)
  const large = Buffer.concat(
    Array.from({ length: size / noise.length }, (_, at) =>
      Buffer.from(noise.map((byte) => byte ^ at)),
    ),
  )
  await world.commit(REPO, 'main', { 'large.bin': large.toString('latin1') })
  const spare = await newKey('spare', '-t', 'ed25519')
  const { id } = await world.call(addKey, otto, { title: 'spare', key: spare.line })
  const [revoked, other] = [await stalledFetch(spare.file), await stalledFetch(ritas.file)]
  let isOtherOpen = true
  void other.ended.then(() => (isOtherOpen = false))
  await world.call(removeKey, otto, { id })
  const bytes = await revoked.ended
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(size / 2)
  expect(isOtherOpen).toBe(true)
  other.client.end()
  await other.ended
  // Rights are looked at every three seconds.
}, 20_000)

test('a stranger has few connections that never sign in; the others wait, up to a bound', async () => {
  const states = new Map<Socket, 'open' | 'greeted' | 'closed'>()
  const count = (wanted: string) =>
    states
      .values()
      .filter((state) => state === wanted)
      .toArray()
  const open = Array.from({ length: 150 }, () => {
    const socket = connect(server.port, '127.0.0.1')
    states.set(socket, 'open')
    socket.once('data', () => states.set(socket, 'greeted'))
    socket.once('close', () => states.set(socket, 'closed'))
    socket.on('error', () => {})
    return socket
  })
  // Ten greeted, 128 waiting, and the last twelve turned away.
  await until(() => count('greeted').length === 10 && count('closed').length === 12)
  for (const socket of states.keys()) if (states.get(socket) === 'greeted') socket.destroy()
  await until(() => count('greeted').length === 10 && count('closed').length === 22)
  for (const socket of open) socket.destroy()
  expect((await ssh(readers.file)).err).toContain('You are signed in')
})

test('a stranger that never ends its identification is cut off, and others are served', async () => {
  const more = Buffer.alloc(64_000, '\r')
  const socket = connect(server.port, '127.0.0.1')
  const closed = new Promise<void>((done) => socket.once('close', () => done()))
  socket.on('error', () => {})
  const send = (): void => {
    if (!socket.destroyed && socket.writable) socket.write(more, send)
  }
  socket.once('connect', send)
  expect((await ssh(ritas.file)).err).toContain('there is no shell here')
  await closed
}, 20_000)

test('no exchange of keys is offered that takes the server a second', async () => {
  const { code, err } = await ssh(
    ottos.file,
    '-o',
    'KexAlgorithms=diffie-hellman-group14-sha256,diffie-hellman-group18-sha512,ecdh-sha2-nistp256',
  )
  expect(code).toBe(255)
  expect(err).toContain('no matching key exchange method found')
})

test('the connections of one person leave room for others', async () => {
  const open: Client[] = []
  /** Whether the key signs in. */
  const signIn = async (file: string): Promise<boolean> => {
    const client = new Client()
    const { promise, resolve } = Promise.withResolvers<boolean>()
    client.once('ready', () => resolve(true))
    client.once('error', () => resolve(false))
    client.once('close', () => resolve(false))
    client.connect({
      host: '127.0.0.1',
      port: server.port,
      username: 'git',
      privateKey: readFileSync(file),
    })
    open.push(client)
    return await promise
  }
  const adas = await newKey('ada', '-t', 'ed25519')
  await world.call(addKey, ada, { title: 'many', key: adas.line })
  let signedIn = 0
  while (signedIn < 200 && (await signIn(adas.file))) signedIn++
  expect(signedIn).toBe(128)
  expect(await signIn(ritas.file)).toBe(true)
  for (const client of open) client.end()
})
