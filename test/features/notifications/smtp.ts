/**
 * A receiver of mail, as much of SMTP (RFC 5321) as one sender needs: it takes everything, and
 * keeps it.
 */
import { createServer, type Socket } from 'node:net'

export type Received = {
  readonly to: readonly string[]
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly raw: string
}

function parse(to: string[], raw: string): Received {
  const cut = raw.indexOf('\n\n')
  const unfolded = raw.slice(0, cut).replace(/\n[ \t]+/g, ' ')
  const headers = new Map(
    unfolded
      .split('\n')
      .map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  )
  const encoded = raw.slice(cut + 2)
  const body =
    headers.get('content-transfer-encoding') === 'quoted-printable'
      ? Buffer.from(
          encoded
            .replace(/=\n/g, '')
            .replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            ),
          'latin1',
        ).toString('utf8')
      : headers.get('content-transfer-encoding') === 'base64'
        ? Buffer.from(encoded, 'base64').toString('utf8')
        : encoded
  return { to, headers, body, raw }
}

export async function receiver() {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let refusing = 0
  const listener = createServer((socket) => {
    sockets.add(socket)
    let data: string | null = null
    let pending = ''
    let to: string[] = []
    socket.write('220 test ESMTP\r\n')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1')
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end)
        pending = pending.slice(end + 2)
        if (data !== null) {
          if (line === '.') {
            received.push(parse(to, Buffer.from(data, 'latin1').toString('utf8')))
            data = null
            to = []
            socket.write('250 taken\r\n')
          } else data += `${line.startsWith('..') ? line.slice(1) : line}\n`
        } else if (/^DATA/i.test(line)) {
          data = ''
          socket.write('354 go on\r\n')
        } else if (/^RCPT/i.test(line)) {
          if (refusing > 0) {
            refusing--
            socket.write('451 try again later\r\n')
          } else {
            to.push(/<([^>]*)>/.exec(line)?.[1] ?? '')
            socket.write('250 ok\r\n')
          }
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else socket.write('250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    received,
    /** Refuses the next recipients for now. */
    refuse: (times: number) => void (refusing = times),
    close: () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
