/** New session keys in the middle of a clone, with ssh2 and with OpenSSH on the other side. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'bun:test'
import { Client, type ClientChannel } from 'ssh2'
import { addKey } from '#features/keys/add-key.ts'
import { newEd25519Key } from '#lib/ssh/ed25519-key.ts'
import { startSshServer } from '#src/ssh/ssh-server.ts'
import { makeLfsWorld, REPO } from '../features/lfs/fixture.ts'

const LARGE_BYTES = 12_000_000

const { world, otto } = await makeLfsWorld()
const server = await startSshServer(world.hearth, {
  host: '127.0.0.1',
  port: 0,
  maxBytesOfKeys: 1,
})
const home = mkdtempSync(join(tmpdir(), 'hearth-ssh-'))
afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

const key = newEd25519Key()
await world.call(addKey, otto, { title: 'laptop', key: key.line })
const noise = crypto.getRandomValues(new Uint8Array(60_000))
const tip = await world.commit(REPO, 'main', {
  'large.bin': Array.from({ length: LARGE_BYTES / noise.length }, (_, at) =>
    Buffer.from(noise.map((byte) => byte ^ at)).toString('latin1'),
  ).join(''),
})

const pkt = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`

async function connect(): Promise<Client> {
  const client = new Client()
  const ready = Promise.withResolvers<void>()
  client.once('ready', () => ready.resolve())
  client.once('error', (error) => ready.reject(error))
  const { port } = server
  client.connect({ host: '127.0.0.1', port, username: 'git', privateKey: key.pem })
  await ready.promise
  return client
}

const open = (client: Client): Promise<ClientChannel> =>
  new Promise((resolve, reject) =>
    client.exec(`git-upload-pack '/${REPO}.git'`, (error, channel) =>
      error ? reject(error) : resolve(channel),
    ),
  )

/** Whether the pack ends with its own digest, so that no byte of it is missing or another. */
const isWholePack = (pack: Buffer): boolean =>
  createHash('sha1').update(pack.subarray(0, -20)).digest().equals(pack.subarray(-20))

test('the server renews the keys of a connection, and a clone that runs goes on', async () => {
  const client = await connect()
  const channel = await open(client)
  const renewed = new Promise<void>((resolve) => client.once('handshake', () => resolve()))
  const pieces: Buffer[] = []
  let bytes = 0
  const ended = new Promise<void>((resolve) => channel.once('close', () => resolve()))
  channel.on('data', (data: Buffer) => {
    pieces.push(data)
    bytes += data.length
    if (bytes < LARGE_BYTES / 4 || channel.isPaused()) return
    // The rest waits here, in packets and in the engine, until there are new keys.
    channel.pause()
    void renewed.then(() => channel.resume())
  })
  // Without a side band, the pack follows a line of its own.
  channel.end(`${pkt(`want ${tip}\n`)}0000${pkt('done\n')}`)
  await renewed
  await ended
  const answer = Buffer.concat(pieces)
  expect(isWholePack(answer.subarray(answer.indexOf('PACK')))).toBe(true)
  client.end()
}, 30_000)

/** Clones with OpenSSH. Gives what OpenSSH says of its exchanges. */
async function cloneWithOpenSsh(into: string, port: number, options: readonly string[]) {
  const file = join(home, 'key')
  rmSync(file, { force: true })
  writeFileSync(file, key.pem, { mode: 0o400 })
  const ssh = ['ssh', '-v', '-i', file, '-F', '/dev/null']
    .concat(['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${join(home, 'hosts')}`])
    .concat(options.flatMap((option) => ['-o', option]))
    .join(' ')
  const clone = Bun.spawn(
    ['git', 'clone', '-q', `ssh://git@127.0.0.1:${port}/${REPO}.git`, join(home, into)],
    {
      env: { PATH: process.env.PATH ?? '', HOME: home, GIT_SSH_COMMAND: ssh },
      stdout: 'ignore',
      stderr: 'pipe',
    },
  )
  const said = await new Response(clone.stderr).text()
  expect([said, await clone.exited]).toEqual([expect.not.stringContaining('fatal'), 0])
  expect(Bun.file(join(home, into, 'large.bin')).size).toBeGreaterThan(LARGE_BYTES)
  return [...said.matchAll(/kex: server->client cipher: (\S+)/g)].map(([, cipher]) => cipher)
}

test('OpenSSH asks for new keys many times in a clone, which is whole', async () => {
  const ciphers = await cloneWithOpenSsh('clone', server.port, ['RekeyLimit=1M'])
  expect(ciphers.length).toBeGreaterThan(5)
}, 30_000)

test('a long transfer of a client that has AES-GCM goes on with it, and no other does', async () => {
  const usual = await startSshServer(world.hearth, { host: '127.0.0.1', port: 0 })
  const [counter, gcm] = ['aes128-ctr', 'aes256-gcm@openssh.com']
  try {
    const clone = (into: string, ciphers: string) =>
      cloneWithOpenSsh(into, usual.port, [`Ciphers=${ciphers}`])
    expect(await clone('changed', `${counter},${gcm}`)).toEqual([counter, gcm])
    expect(await clone('without', counter)).toEqual([counter])
    expect(await clone('with', `${gcm},${counter}`)).toEqual([gcm])
  } finally {
    await usual.stop()
  }
}, 60_000)
