/**
 * The key exchange with ML-KEM, by a client that is written here from the draft: it sends its keys,
 * and the server's signature is one of the hash that both sides have to come to.
 */
import {
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  verify,
} from 'node:crypto'
import { connect } from 'node:net'
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js'
import { afterAll, expect, test } from 'bun:test'
import { startSshServer } from '#src/ssh/ssh-server.ts'
import { sshHostKeys } from '#lib/ssh/ssh-host-keys.ts'
import { SshReader } from '#lib/ssh/ssh-key.ts'
import { sshField } from '../ssh.ts'
import { makeWorld } from '../world.ts'

const world = await makeWorld()
const server = await startSshServer(world.hearth, { host: '127.0.0.1', port: 0 })
afterAll(() => server.stop())

const IDENT = 'SSH-2.0-Test'
const [KEXINIT, NEWKEYS, KEX_INIT, KEX_REPLY] = [20, 21, 30, 31]
const HYBRID = 'mlkem768x25519-sha256'
const SPKI_X25519 = Buffer.from('302a300506032b656e032100', 'hex')
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')

function kexinit(kex: readonly string[]): Buffer {
  const lists = [kex.join(','), 'ssh-ed25519']
    .concat(['aes128-gcm@openssh.com', 'aes128-gcm@openssh.com'])
    .concat(['hmac-sha2-256', 'hmac-sha2-256', 'none', 'none', '', ''])
  return Buffer.concat([
    Buffer.from([KEXINIT]),
    Buffer.alloc(16, 7),
    ...lists.map((list) => sshField(list)),
    Buffer.alloc(5),
  ])
}

function packet(payload: Uint8Array): Buffer {
  const padding = 8 - ((payload.length + 5) % 8) + 8
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length + padding + 1)
  head[4] = padding
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

/** Says who it is and which exchanges it has; gives the packets of the server as they come. */
async function greet(kex: readonly string[]) {
  const socket = connect({ host: '127.0.0.1', port: server.port })
  let bytes = Buffer.alloc(0)
  let more = Promise.withResolvers<void>()
  let isClosed = false
  const wake = (): void => {
    more.resolve()
    more = Promise.withResolvers()
  }
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  const read = async <T>(take: () => T | null): Promise<T | null> => {
    for (;;) {
      const found = take()
      if (found !== null || isClosed) return found
      await more.promise
    }
  }
  const init = kexinit(kex)
  socket.write(`${IDENT}\r\n`)
  socket.write(packet(init))
  const ident = await read(() => {
    const end = bytes.indexOf('\r\n')
    if (end < 0) return null
    const line = bytes.subarray(0, end).toString()
    bytes = bytes.subarray(end + 2)
    return line
  })
  return {
    socket,
    init,
    ident: ident ?? '',
    next: () =>
      read(() => {
        if (bytes.length < 4) return null
        const length = bytes.readUInt32BE(0)
        if (bytes.length < 4 + length) return null
        const payload = bytes.subarray(5, 4 + length - (bytes[4] ?? 0))
        bytes = bytes.subarray(4 + length)
        return payload
      }),
  }
}

function newKeys() {
  const lattice = ml_kem768.keygen()
  const curve = generateKeyPairSync('x25519')
  const point = curve.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { lattice, curve, sent: Buffer.concat([lattice.publicKey, point]) }
}

test('both sides come to the same hash, and the host key signs it', async () => {
  const client = await greet([HYBRID, 'curve25519-sha256'])
  const theirs = await client.next()
  expect(theirs?.subarray(21).toString('latin1')).toContain(HYBRID)
  const keys = newKeys()
  client.socket.write(packet(Buffer.concat([Buffer.from([KEX_INIT]), sshField(keys.sent)])))
  const reply = await client.next()
  expect(reply?.[0]).toBe(KEX_REPLY)
  const fields = new SshReader((reply ?? Buffer.alloc(0)).subarray(1))
  const [host, answer, signature] = [fields.string(), fields.string(), fields.string()]
  expect(answer.length).toBe(1088 + 32)
  const lattice = ml_kem768.decapsulate(answer.subarray(0, 1088), keys.lattice.secretKey)
  const curve = diffieHellman({
    privateKey: keys.curve.privateKey,
    publicKey: createPublicKey({
      key: Buffer.concat([SPKI_X25519, answer.subarray(1088)]),
      format: 'der',
      type: 'spki',
    }),
  })
  const secret = createHash('sha256').update(lattice).update(curve).digest()
  const hash = createHash('sha256')
  for (const part of [
    Buffer.from(IDENT),
    Buffer.from(client.ident),
    client.init,
    theirs ?? Buffer.alloc(0),
    host,
    keys.sent,
    answer,
    secret,
  ])
    hash.update(sshField(part))
  const [known] = sshHostKeys(world.hearth.settings.data)
  expect(Buffer.from(host).toString('base64')).toBe(known?.line.split(' ')[1] ?? '')
  const signed = new SshReader(signature)
  expect(signed.text()).toBe('ssh-ed25519')
  const key = createPublicKey({
    key: Buffer.concat([SPKI_ED25519, host.subarray(-32)]),
    format: 'der',
    type: 'spki',
  })
  expect(verify(null, hash.digest(), key, signed.string())).toBe(true)
  client.socket.destroy()
})

test('a client that prefers another exchange gets that one', async () => {
  const client = await greet(['curve25519-sha256', HYBRID])
  await client.next()
  const { curve, sent } = newKeys()
  client.socket.write(
    packet(Buffer.concat([Buffer.from([KEX_INIT]), sshField(sent.subarray(-32))])),
  )
  const reply = await client.next()
  const fields = new SshReader((reply ?? Buffer.alloc(0)).subarray(1))
  fields.string()
  expect([curve.privateKey.asymmetricKeyType, fields.string().length]).toEqual(['x25519', 32])
  client.socket.destroy()
})

test('a client that does not wait for the answer is cut off, and one that left is forgotten', async () => {
  const { sent } = newKeys()
  const begin = packet(Buffer.concat([Buffer.from([KEX_INIT]), sshField(sent)]))
  const hasty = await greet([HYBRID])
  await hasty.next()
  hasty.socket.write(Buffer.concat([begin, packet(Buffer.from([NEWKEYS]))]))
  for (let reply = await hasty.next(); reply !== null; reply = await hasty.next())
    expect([KEX_REPLY, NEWKEYS]).not.toContain(reply[0] ?? 0)
  const twice = await greet([HYBRID])
  await twice.next()
  twice.socket.write(Buffer.concat([begin, begin]))
  for (let reply = await twice.next(); reply !== null; reply = await twice.next())
    expect(reply[0]).not.toBe(NEWKEYS)
  const gone = await greet([HYBRID])
  await gone.next()
  gone.socket.write(begin, () => gone.socket.resetAndDestroy())
  const after = await greet([HYBRID])
  expect((await after.next())?.[0]).toBe(KEXINIT)
  after.socket.destroy()
})

test('malformed keys end the connection and nothing else', async () => {
  const { sent } = newKeys()
  const zero = Buffer.concat([sent.subarray(0, 1184), Buffer.alloc(32)])
  const outOfRange = Buffer.concat([Buffer.alloc(1184, 0xff), sent.subarray(1184)])
  for (const bad of [sent.subarray(1), zero, outOfRange, Buffer.alloc(0)]) {
    const client = await greet([HYBRID, 'curve25519-sha256'])
    await client.next()
    client.socket.write(packet(Buffer.concat([Buffer.from([KEX_INIT]), sshField(bad)])))
    const reply = await client.next()
    expect([bad.length, reply?.[0] === KEX_REPLY]).toEqual([bad.length, false])
    client.socket.destroy()
  }
  // Coefficients just at the modulus, in the first and in the last place.
  for (const at of [0, 1149]) {
    const key = Buffer.from(sent)
    key.set([0x01, ((key[at + 1] ?? 0) & 0xf0) | 0x0d], at)
    const client = await greet([HYBRID, 'curve25519-sha256'])
    await client.next()
    client.socket.write(packet(Buffer.concat([Buffer.from([KEX_INIT]), sshField(key)])))
    expect([at, (await client.next())?.[0] === KEX_REPLY]).toEqual([at, false])
    client.socket.destroy()
  }
  const after = await greet([HYBRID])
  expect((await after.next())?.[0]).toBe(KEXINIT)
  after.socket.destroy()
})
