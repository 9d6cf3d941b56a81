/**
 * Gets certificates from a real ACME server, Pebble (https://github.com/letsencrypt/pebble), by
 * both challenges, and looks at the site with them. Pebble refuses some nonces and rests between
 * states on purpose.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  pebble: { kind: 'text', default: 'pebble', help: 'The server, as go install puts it somewhere.' },
  executable: { kind: 'text', default: '', help: 'A built executable; the source unless given.' },
} as const satisfies Record<string, Option>

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => probe.once('listening', () => resolve()))
  const { port } = probe.address() as { port: number }
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  return port
}

/**
 * Every name is this machine (RFC 1035 sections 4.1, 4.2.2): a question for an IPv4 address has one
 * answer, others have none.
 */
function answerTo(question: Buffer): Buffer {
  let end = 12
  while ((question[end] ?? 0) !== 0) end += (question[end] ?? 0) + 1
  end += 5
  const isAddress = question.readUInt16BE(end - 4) === 1
  const answer = Buffer.concat([
    question.subarray(0, end),
    Buffer.from(isAddress ? 'c00c000100010000000100047f000001' : '', 'hex'),
  ])
  answer.writeUInt16BE(0x8180, 2)
  answer.writeUInt16BE(isAddress ? 1 : 0, 6)
  answer.writeUInt32BE(0, 8)
  return answer
}

await runScript(
  'bun test/system/acme-pebble.ts [options]',
  OPTIONS,
  async ({ pebble, executable }) => {
    const forgeCommand =
      executable === ''
        ? [process.execPath, join(import.meta.dir, '../..', 'src/main.ts')]
        : [executable]
    if (Bun.which(pebble) === null)
      throw new OptionError(
        `${pebble} is not here; go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest`,
      )
    const folder = mkdtempSync(join(tmpdir(), 'hearth-pebble-'))
    const place = (name: string): string => join(folder, name)

    const [api, management, http, tls] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
    ])
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
        place('key.pem'),
        '-out',
        place('cert.pem'),
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost,IP:127.0.0.1',
        '-days',
        '2',
      ],
      { stdio: 'ignore' },
    )
    writeFileSync(
      place('pebble.json'),
      JSON.stringify({
        pebble: {
          listenAddress: `127.0.0.1:${api}`,
          managementListenAddress: `127.0.0.1:${management}`,
          certificate: place('cert.pem'),
          privateKey: place('key.pem'),
          httpPort: http,
          tlsPort: tls,
          ocspResponderURL: '',
          externalAccountBindingRequired: false,
        },
      }),
    )
    const names = createServer((socket) => {
      let seen: Buffer = Buffer.alloc(0)
      socket.on('error', () => {})
      socket.on('data', (part: Buffer) => {
        seen = Buffer.concat([seen, part])
        for (;;) {
          const size = seen.length < 2 ? 0 : seen.readUInt16BE(0)
          if (size === 0 || seen.length < 2 + size) return
          const answer = answerTo(seen.subarray(2, 2 + size))
          seen = seen.subarray(2 + size)
          socket.write(
            Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]),
          )
        }
      })
    }).listen(0, '127.0.0.1')
    await new Promise<void>((resolve) => names.once('listening', () => resolve()))
    const authority = Bun.spawn(
      [
        pebble,
        '-config',
        place('pebble.json'),
        '-dnsserver',
        `127.0.0.1:${(names.address() as { port: number }).port}`,
      ],
      {
        env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20' },
        stdout: Bun.file(place('pebble.log')),
        stderr: Bun.file(place('pebble.err')),
      },
    )

    /** The certificate that the site shows, when it is from the authority. */
    const shown = (name: string): Promise<X509Certificate | null> =>
      new Promise((resolve) => {
        const socket = connect(
          { host: '127.0.0.1', port: tls, servername: name, rejectUnauthorized: false },
          () => {
            const { raw } = socket.getPeerCertificate()
            const certificate = new X509Certificate(raw)
            resolve(certificate.issuer.includes('Pebble') ? certificate : null)
            socket.end()
          },
        )
        socket.on('error', () => resolve(null))
      })

    async function run(challenge: 'http-01' | 'tls-alpn-01'): Promise<boolean> {
      const started = performance.now()
      const log = place(`${challenge}.log`)
      const forge = Bun.spawn([...forgeCommand, 'serve', '--data', place(challenge)], {
        env: {
          PATH: process.env.PATH ?? '',
          HEARTH_LISTEN: `127.0.0.1:${tls}`,
          HEARTH_SITE_URL: 'https://localhost.localdomain',
          HEARTH_ACME_DOMAINS: 'forge.example.test',
          HEARTH_ACME_DIRECTORY: `https://localhost:${api}/dir`,
          HEARTH_ACME_CHALLENGE: challenge,
          HEARTH_ACME_CA_FILE: place('cert.pem'),
          HEARTH_TLS_REDIRECT: `127.0.0.1:${http}`,
        },
        stdout: Bun.file(`${log}.out`),
        stderr: Bun.file(log),
      })
      let certificate: X509Certificate | null = null
      for (let look = 0; certificate === null && look < 120; look++) {
        await Bun.sleep(500)
        certificate = await shown('forge.example.test')
      }
      const live =
        certificate === null
          ? null
          : await fetch(`https://127.0.0.1:${tls}/livez`, {
              tls: { rejectUnauthorized: false },
            }).then(
              ({ status }) => status,
              () => null,
            )
      forge.kill()
      await forge.exited
      process.stdout.write(
        `${challenge}: ${certificate ? `a certificate for ${certificate.subjectAltName} until ${certificate.validTo} after ${Math.round(performance.now() - started)} ms, /livez ${live}` : `none\n${readFileSync(log, 'utf8')}`}\n`,
      )
      const sealed =
        certificate === null
          ? ''
          : readFileSync(join(place(challenge), 'secrets/acme/account.sealed'), 'utf8')
      return certificate !== null && live === 200 && !sealed.includes('PRIVATE')
    }

    let well = false
    try {
      well = (await run('http-01')) && (await run('tls-alpn-01'))
    } finally {
      authority.kill()
      await authority.exited
      names.close()
      if (well) rmSync(folder, { recursive: true, force: true })
      else process.stdout.write(`what was written is in ${folder}\n`)
    }
    return well ? 0 : 1
  },
)
