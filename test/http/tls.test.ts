/**
 * Encrypted connections, with certificates that change while they go on; and what stands in front
 * of the listener.
 */
import { afterAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectTls, createServer as createTls } from 'node:tls'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  readCertificate,
  watchCertificate,
  type Certificate,
} from '#http/listener/certificate-files.ts'
import { openFront } from '#http/listener/tcp-front.ts'
import { startRedirect } from '#http/listener/https-redirect.ts'
import { startFronted } from '#http/listener/fronted-server.ts'
import { startServer } from '#http/server.ts'
import type { Settings } from '#core/settings.ts'
import { silentLog } from '#lib/log.ts'
import { makeWorld } from '../world.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-tls-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const place = (name: string) => join(folder, name)
function make(name: string): { certificate: string; key: string } {
  const files = { certificate: place(`${name}.pem`), key: place(`${name}.key`) }
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      files.key,
      '-out',
      files.certificate,
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=DNS:localhost',
      '-days',
      '30',
    ],
    { stdio: 'ignore' },
  )
  return files
}
const [one, two] = [make('one'), make('two')]
const world = await makeWorld({ trusted_proxies: ['127.0.0.1'] })

/** The name in the certificate that a new connection is shown. */
const shown = (port: number, protocols?: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connectTls(
      {
        host: '127.0.0.1',
        port,
        servername: 'localhost',
        rejectUnauthorized: false,
        ...(protocols ? { ALPNProtocols: protocols } : {}),
      },
      () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.end()
      },
    )
    socket.on('error', reject)
  })

test('a certificate is replaced while a request goes on, and no connection is refused', async () => {
  const server = await startFronted({
    on: { host: '127.0.0.1', port: 0 },
    log: silentLog,
    certificate: await readCertificate(one),
  })
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  server.open(world.hearth, {
    site: {
      handle: async ({ path, peerAddress }) => {
        if (path !== '/slow') return null
        expect(peerAddress).toBe('127.0.0.1')
        begun.resolve()
        await goOn.promise
        return new Response('done')
      },
    },
  })
  expect(await shown(server.port)).toBe('one')
  const slow = fetch(`https://127.0.0.1:${server.port}/slow`, {
    tls: { rejectUnauthorized: false },
  })
  await begun.promise
  const asking = (async () => {
    const seen = new Set<string>()
    for (let i = 0; i < 40; i++) seen.add(await shown(server.port))
    return seen
  })()
  const second = await readCertificate(two)
  server.replaceCertificate(second)
  const seen = await asking
  expect(seen.has('two')).toBe(true)
  expect(await shown(server.port)).toBe('two')
  goOn.resolve()
  expect(await (await slow).text()).toBe('done')
  // Requests of the second listener know their sender too.
  expect(
    (await fetch(`https://127.0.0.1:${server.port}/livez`, { tls: { rejectUnauthorized: false } }))
      .status,
  ).toBe(200)
  expect(() => startServer({ host: '127.0.0.1', port: server.port, log: silentLog })).toThrow()
  await server.stop()
})

test('browsers are told to come back encrypted where this forge encrypts and is the site of its name', async () => {
  const told = async (site_url: string, tls: Settings['tls']) => {
    const { hearth } = await makeWorld({ site_url, tls })
    const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog })
    server.open(hearth, {})
    const header = (await fetch(`http://127.0.0.1:${server.port}/api/v1/repos`)).headers.get(
      'strict-transport-security',
    )
    await server.stop()
    return header
  }
  const own = { kind: 'files', domains: [] } as const
  expect(await told('https://git.example.com', own)).toBe('max-age=31536000')
  // Other ports of the name may be others', and a proxy in front says it itself.
  expect(await told('https://nas.example.com:3000', own)).toBeNull()
  expect(await told('https://git.example.com', null)).toBeNull()
})

test('files that change are read again when they fit together, and not before', async () => {
  const files = make('live')
  const before = await readCertificate(files)
  const seen: Certificate[] = []
  const next = Promise.withResolvers<void>()
  const end = watchCertificate(
    files,
    before,
    (now) => {
      seen.push(now)
      next.resolve()
    },
    silentLog,
  )
  const other = make('next')
  writeFileSync(files.key, 'half a key')
  await expect(readCertificate(files)).rejects.toThrow('holds no private key')
  renameSync(other.key, files.key)
  await expect(readCertificate(files)).rejects.toThrow('is not the one of the certificate')
  renameSync(other.certificate, files.certificate)
  await next.promise
  end()
  expect(seen).toEqual([await readCertificate(files)])
})

test('who comes without encryption is sent on; a challenge is shown in the clear', async () => {
  const redirect = startRedirect({
    host: '127.0.0.1',
    port: 0,
    site_url: 'https://hearth.test',
    challenge: (token) => (token === 'known' ? 'known.print' : null),
  })
  const ask = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${redirect.port}${path}`, { method, redirect: 'manual' })
  const sent = await ask('/acme/site?tab=1')
  expect([sent.status, sent.headers.get('location')]).toEqual([
    301,
    'https://hearth.test/acme/site?tab=1',
  ])
  expect((await ask('/api/v1/repos', 'POST')).status).toBe(308)
  // Not to another host, whatever the path looks like.
  expect((await ask('//evil.example/x')).headers.get('location')).toBe(
    'https://hearth.test/evil.example/x',
  )
  expect(await (await ask('/.well-known/acme-challenge/known')).text()).toBe('known.print')
  expect((await ask('/.well-known/acme-challenge/other')).status).toBe(404)
  await redirect.stop()
})

test('a socket of the machine is served, and taken away at the end', async () => {
  const unix = place('hearth.sock')
  const server = startServer({ host: '', port: 0, unix, log: silentLog })
  server.open(world.hearth, {
    site: { handle: ({ peerAddress }) => Response.json({ address: peerAddress }) },
  })
  expect((await fetch('http://localhost/livez', { unix })).status).toBe(200)
  expect(
    ((await (await fetch('http://localhost/who', { unix })).json()) as { address: string }).address,
  ).toBe('127.0.0.1')
  await server.stop()
  expect(fetch('http://localhost/livez', { unix })).rejects.toThrow()
})

test('a front passes on who is asking, and a challenge to whoever waits for it', async () => {
  const server = startServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    tls: await readCertificate(one),
    clientAddressOf: (port) => front.addressOf(port),
  })
  const asked: (string | null)[] = []
  server.open(world.hearth, {
    site: {
      handle: ({ peerAddress }) => {
        asked.push(peerAddress)
        return new Response('ok')
      },
    },
  })
  const challenge = await readCertificate(two)
  const authority = createTls(
    { cert: challenge.cert, key: challenge.key, ALPNProtocols: ['acme-tls/1'] },
    (socket) => socket.end(),
  ).listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => authority.once('listening', () => resolve()))
  let waiting = false
  const front = await openFront({
    on: { host: '127.0.0.1', port: 0 },
    target: () => server.port,
    log: silentLog,
    challenge: {
      protocol: 'acme-tls/1',
      target: () => (waiting ? (authority.address() as { port: number }).port : null),
    },
  })
  expect(
    await (
      await fetch(`https://127.0.0.1:${front.port}/who`, { tls: { rejectUnauthorized: false } })
    ).text(),
  ).toBe('ok')
  expect(asked).toEqual(['127.0.0.1'])
  waiting = true
  expect(await shown(front.port, ['acme-tls/1'])).toBe('two')
  expect(await shown(front.port, ['http/1.1'])).toBe('one')
  expect(await shown(front.port)).toBe('one')
  // A request of several megabytes passes whole.
  const body = 'x'.repeat(3_000_000)
  const echo = createServer((socket) => void socket.pipe(socket)).listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => echo.once('listening', () => resolve()))
  const plain = await openFront({
    on: { host: '127.0.0.1', port: 0 },
    target: () => (echo.address() as { port: number }).port,
    log: silentLog,
  })
  const back = await new Promise<number>((resolve, reject) => {
    let size = 0
    const socket = connect({ host: '127.0.0.1', port: plain.port }, () => void socket.write(body))
    socket.on('data', (part) => {
      size += part.length
      if (size >= body.length) {
        socket.destroy()
        resolve(size)
      }
    })
    socket.on('error', reject)
  })
  expect(back).toBe(body.length)
  for (const one of [front, plain]) one.close()
  for (const one of [authority, echo]) one.close()
  await server.stop()
})
