/** Servers of SSH that let this forge in and then do not behave as one of git. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ssh2, { type ServerChannel } from 'ssh2'
import { sshTransport } from '#features/repos/ssh-remote.ts'
import { newEd25519Key } from '#lib/ssh/ed25519-key.ts'
import { sshHostKeys } from '#lib/ssh/ssh-host-keys.ts'
import { testSettings } from '../../settings.ts'

const secrets = mkdtempSync(join(tmpdir(), 'hearth-ssh-remote-'))
afterAll(() => rmSync(secrets, { recursive: true, force: true }))
const hostKeys = sshHostKeys(secrets).map(({ privateKey }) => privateKey)

/** Asks a server for its refs, and reads the answer. `serve` gets each command. */
async function ask(
  serve: (channel: ServerChannel) => void,
  { idleMs = 200, giveUp = null }: { idleMs?: number; giveUp?: AbortController | null } = {},
) {
  const server = new ssh2.Server({ hostKeys }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (attempt) => attempt.accept())
    client.on('session', (accept) => {
      const session = accept()
      session.on('env', (acceptEnv) => acceptEnv?.())
      session.on('exec', (acceptExec) => serve(acceptExec()))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const { port } = server.address() as { port: number }
    const url = `ssh://git@127.0.0.1:${port}/acme/site.git`
    const access = { privateKey: newEd25519Key().pem, hostKey: null, onHostKey: () => {} }
    const limits = { idleMs, totalMs: 5 * idleMs, maxBytes: 64 * 1024 }
    const settings = testSettings(secrets, { outbound_allow: ['http://127.0.0.1'] })
    const transport = sshTransport({ settings }, url, access, limits)
    const { body } = await transport({
      method: 'GET',
      url: `${url}/info/refs?service=git-upload-pack`,
      headers: {},
      body: null,
      redirect: false,
      signal: giveUp?.signal ?? null,
    })
    giveUp?.abort()
    return await new Response(body).text()
  } finally {
    server.close()
  }
}

test('a server that says nothing is given up', async () => {
  await expect(ask(() => {})).rejects.toThrow('was silent for 0.2 seconds')
})

test('a server that never ends its list is given up', async () => {
  const drip = ask((channel) => {
    const timer = setInterval(() => channel.write('0005.'), 20)
    channel.on('close', () => clearInterval(timer))
  })
  await expect(drip).rejects.toThrow('took longer than 1 seconds')
  const flood = ask((channel) => void channel.write('0005.'.repeat(20_000)))
  await expect(flood).rejects.toThrow('sends more than is taken')
})

test('work that is given up ends, also when the server does not confirm it', async () => {
  const work = ask((channel) => (channel.close = () => {}), {
    idleMs: 60_000,
    giveUp: new AbortController(),
  })
  await expect(work).rejects.toThrow('ended the connection')
})
