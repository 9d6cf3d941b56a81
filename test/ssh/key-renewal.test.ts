/** New session keys in the middle of a clone, with ssh2 and with OpenSSH on the other side. */
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

test('OpenSSH asks for new keys many times in a clone, which is whole', async () => {
  const file = join(home, 'key')
  writeFileSync(file, key.pem)
  chmodSync(file, 0o600)
  const ssh = ['ssh', '-i', file, '-F', '/dev/null', '-o', 'RekeyLimit=1M']
    .concat(['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${join(home, 'hosts')}`])
    .join(' ')
  const clone = Bun.spawn(
    ['git', 'clone', '-q', `ssh://git@127.0.0.1:${server.port}/${REPO}.git`, join(home, 'clone')],
    {
      env: { PATH: process.env.PATH ?? '', HOME: home, GIT_SSH_COMMAND: ssh },
      stdout: 'ignore',
      stderr: 'pipe',
    },
  )
  expect([await new Response(clone.stderr).text(), await clone.exited]).toEqual([
    expect.not.stringContaining('fatal'),
    0,
  ])
  const cloned = Bun.file(join(home, 'clone', 'large.bin'))
  expect(cloned.size).toBeGreaterThan(LARGE_BYTES)
}, 30_000)
