import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMailer } from '#lib/mail.ts'

const root = mkdtempSync(join(tmpdir(), 'hearth-mail-'))
afterAll(() => rmSync(root, { recursive: true }))

const NOW = '2026-03-01T12:00:00.000Z'
const message = {
  to: 'ada@example.com',
  kind: 'confirm',
  subject: 'Confirm',
  text: 'Open this:\nhttps://hearth.test/confirm?token=abc\n',
}
let count = 0

function files() {
  const outbox = join(root, String(++count))
  const told: string[] = []
  const mailer = createMailer({
    server: null,
    from: 'Hearth <hearth@hearth.test>',
    outbox,
    onFirstFile: (directory) => void told.push(directory),
  })
  return {
    mailer,
    outbox,
    told,
    names: () => readdirSync(outbox),
    read: (name: string) => readFileSync(join(outbox, name), 'utf8'),
  }
}

test('a message is one complete file, readable by its owner only', async () => {
  const { mailer, outbox, names, read } = files()
  await mailer.send(message, NOW)
  expect(names()).toEqual(['2026-03-01T12-00-00.000Z-confirm-ada@example.com.eml'])
  const [name = ''] = names()
  const text = read(name)
  expect(text).toContain(
    'From: Hearth <hearth@hearth.test>\nTo: ada@example.com\nSubject: Confirm\n',
  )
  expect(text).toContain('Date: Sun, 01 Mar 2026 12:00:00 +0000\n')
  expect(text).toEndWith(`\n\n${message.text}`)
  expect(statSync(join(outbox, name)).mode & 0o077).toBe(0)
})

test('long links and letters of any language are not encoded', async () => {
  const { mailer, names, read } = files()
  const text = `Grüße\nhttps://${'a'.repeat(200)}.test/reset?token=${'b'.repeat(43)}\n`
  await mailer.send({ ...message, text }, NOW)
  const file = read(names()[0] ?? '')
  expect(file).toEndWith(`\n\n${text}`)
  expect(file).toContain('Content-Transfer-Encoding: 8bit')
})

test('messages of the same time do not replace each other, and the first file is announced once', async () => {
  const { mailer, outbox, told, names } = files()
  await Promise.all([1, 2, 3].map(() => mailer.send(message, NOW)))
  expect(names()).toHaveLength(3)
  expect(told).toEqual([outbox])
})

test('user input cannot leave the directory or add headers', async () => {
  const { mailer, outbox, names, read } = files()
  await mailer.send(
    {
      to: '../../etc/x@example.com',
      kind: 'a/b',
      subject: 'Hi\r\nBcc: all@example.com',
      text: 'x',
    },
    NOW,
  )
  expect(readdirSync(root)).not.toContain('etc')
  expect(names()).toHaveLength(1)
  const text = read(names()[0] ?? '')
  expect(text).not.toMatch(/^Bcc:/m)
  expect(statSync(outbox).isDirectory()).toBe(true)
})

/**
 * As much of SMTP (RFC 5321) as one client needs: it takes everything, or refuses every recipient.
 */
async function server(
  refuse: boolean,
): Promise<{ url: string; received: string[]; close: () => void }> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    sockets.add(socket)
    let data: string | null = null
    let pending = ''
    socket.write('220 test\r\n')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      pending += chunk.toString()
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end)
        pending = pending.slice(end + 2)
        if (data !== null) {
          if (line === '.') {
            received.push(data)
            data = null
            socket.write('250 taken\r\n')
          } else data += `${line}\n`
        } else if (/^DATA/i.test(line)) {
          data = ''
          socket.write('354 go on\r\n')
        } else if (/^RCPT/i.test(line) && refuse) socket.write('550 no such person\r\n')
        else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else socket.write('250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: () => (listener.close(), sockets.forEach((socket) => socket.destroy())),
  }
}

const overSmtp = (url: string) =>
  createMailer({
    server: { url, from: 'Forge <forge@example.com>' },
    from: '',
    outbox: join(root, 'unused'),
    onFirstFile: () => expect.unreachable(),
  })

test('with a server the message goes there and no file is written', async () => {
  const { url, received, close } = await server(false)
  await overSmtp(url).send(message, NOW)
  close()
  expect(received).toHaveLength(1)
  expect(received[0]).toContain('From: Forge <forge@example.com>')
  expect(received[0]).toContain('https://hearth.test/confirm?token=abc')
  expect(readdirSync(root)).not.toContain('unused')
})

test('a refusal of the server is an error, so that the job retries', async () => {
  const { url, received, close } = await server(true)
  await expect(overSmtp(url).send(message, NOW)).rejects.toThrow('550')
  close()
  expect(received).toEqual([])
  await expect(overSmtp(url).send(message, NOW)).rejects.toThrow()
})
