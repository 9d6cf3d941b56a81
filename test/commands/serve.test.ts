/** The executable's `serve` at what it can listen on besides a port, and what it tells systemd. */
import { afterAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNotify } from '#lib/sd-notify.ts'
import { PROGRAM } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-serve-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts it and waits for its first line. */
async function start(
  name: string,
  args: string[],
  env: Record<string, string> = {},
  command: readonly string[] = PROGRAM,
) {
  const child = Bun.spawn([...command, 'serve', '--data', join(folder, name), ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const reader = child.stdout.getReader()
  let text = ''
  while (!text.includes('\n')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`it ended: ${await new Response(child.stderr).text()}`)
    text += new TextDecoder().decode(value)
  }
  return {
    url: /listening on (\S+)/.exec(text)?.[1] ?? '',
    async stop() {
      child.kill('SIGTERM')
      return await child.exited
    },
  }
}

test('a Unix socket is served, replaced after a killed process, and removed at the end', async () => {
  const unix = join(folder, 'h.sock')
  const forge = await start('unix', [
    '--listen',
    `unix:${unix}`,
    '--site-url',
    'https://git.example.com',
  ])
  expect(forge.url).toBe('https://git.example.com')
  expect((await fetch('http://localhost/livez', { unix })).status).toBe(200)
  await expect(start('other', ['--listen', `unix:${unix}`])).rejects.toThrow('listens on')
  expect(await forge.stop()).toBe(0)
  expect(existsSync(unix)).toBe(false)
}, 120_000)

test('a port that is in use is named, with the way out', async () => {
  const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const port = taken.port ?? 0
  await expect(start('taken', ['--listen', `127.0.0.1:${port}`])).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use: stop the program that listens there, or choose another port, such as --listen 127.0.0.1:${port + 1}`,
  )
  await taken.stop(true)
}, 120_000)

test('a certificate from files', async () => {
  const [cert, key] = [join(folder, 'c.pem'), join(folder, 'k.pem')]
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
      key,
      '-out',
      cert,
      '-subj',
      '/CN=x',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-days',
      '3',
    ],
    { stdio: 'ignore' },
  )
  const forge = await start('tls', ['--listen', '127.0.0.1:0'], {
    HEARTH_TLS_CERTIFICATE: cert,
    HEARTH_TLS_KEY: key,
  })
  expect(forge.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${forge.url}/readyz`, { tls: { rejectUnauthorized: false } })).status).toBe(
    200,
  )
  expect(await forge.stop()).toBe(0)
  await expect(
    start('tls', ['--listen', '127.0.0.1:0'], {
      HEARTH_TLS_CERTIFICATE: cert,
      HEARTH_TLS_KEY: cert,
    }),
  ).rejects.toThrow('holds no private key')
  await expect(
    start('tls', ['--listen', '127.0.0.1:0'], { HEARTH_TLS_CERTIFICATE: cert }),
  ).rejects.toThrow('go together')
}, 120_000)

const python = Bun.which('python3')

test.if(process.platform === 'linux' && python !== null)(
  'a socket that systemd opened is used, and systemd is told',
  async () => {
    // Stands in for systemd: opens the socket, hands it over as descriptor 3, and prints what it is
    // told.
    const supervisor = `
import os, socket, subprocess, sys
listening = socket.socket(); listening.bind(('127.0.0.1', 0)); listening.listen(16)
path = sys.argv[1]
told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); told.bind(path)
def hand():
    if listening.fileno() == 3: os.set_inheritable(3, True)
    else: os.dup2(listening.fileno(), 3, inheritable=True)
script = 'LISTEN_PID=$$ exec "$@"'
child = subprocess.Popen(['sh', '-c', script, 'sh'] + sys.argv[2:], preexec_fn=hand, close_fds=False, stdout=subprocess.DEVNULL, stderr=sys.stderr,
    env=dict(os.environ, LISTEN_PID='0', LISTEN_FDS='1', NOTIFY_SOCKET=path, WATCHDOG_USEC='400000'))
print(listening.getsockname()[1], flush=True)
seen = []
told.settimeout(40)
while not ('READY=1' in seen and 'WATCHDOG=1' in seen): seen += told.recv(1000).decode().split('\\n')
print('ready', flush=True)
sys.stdin.readline()
child.terminate(); child.wait()
while 'STOPPING=1' not in seen: seen += told.recv(1000).decode().split('\\n')
print('stopped', child.returncode, flush=True)
`
    const child = Bun.spawn(
      [
        python ?? '',
        '-c',
        supervisor,
        join(folder, 'notify'),
        ...PROGRAM,
        'serve',
        '--data',
        join(folder, 'activated'),
      ],
      {
        env: { PATH: process.env.PATH ?? '' },
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const reader = child.stdout.getReader()
    let text = ''
    const until = async (word: string) => {
      while (!text.includes(word)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`${text}\n${await new Response(child.stderr).text()}`)
        text += new TextDecoder().decode(value)
      }
    }
    await until('ready')
    const port = text.split('\n')[0]
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    child.stdin.write('\n')
    await child.stdin.flush()
    await until('stopped')
    expect(text).toContain('stopped 0')
  },
  90_000,
)

test('without a socket no notification is sent', () => {
  createNotify(null)('READY=1')
  createNotify('not a path')('READY=1')
  createNotify(join(folder, 'nobody'))('READY=1')
})
