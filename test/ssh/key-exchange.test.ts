/** When exchanges of keys are answered. */
import { expect, test } from 'bun:test'
import { KeyObject } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import ssh2, { type Connection } from 'ssh2'
import { newEd25519Key } from '#lib/ssh/ed25519-key.ts'
import { answerLater, forgetExchange, protocolOf, type KeyExchange } from '#src/ssh/key-exchange.ts'
import { signInTurns } from '#src/ssh/work-turns.ts'

/** An exchange as ssh2 has it: its first call answers, and puts another function in its place. */
function exchangeOf(said: string[], name: string) {
  const exchange = {
    finish(): unknown {
      said.push(`${name} answers`)
      exchange.finish = () => said.push(`${name} is taken into use`)
      return undefined
    },
  }
  const connection = { end: () => said.push(`${name} ends`) }
  return {
    exchange: exchange as unknown as KeyExchange,
    connection: connection as unknown as Connection,
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('of exchanges that begin at once each turn of the event loop answers one', async () => {
  const said: string[] = []
  const turns = signInTurns()
  const exchanges = ['a', 'b', 'c'].map((name) => {
    const { exchange, connection } = exchangeOf(said, name)
    answerLater(connection, exchange, (answer) =>
      turns.run(() => {
        answer()
        return 1
      }),
    )
    return exchange
  })
  for (const exchange of exchanges) exchange.finish()
  const counts = [said.length]
  for (let at = 0; at < 3; at++) {
    await turn()
    counts.push(said.length)
  }
  expect(counts).toEqual([1, 2, 3, 3])
  exchanges[0]?.finish()
  expect(said).toEqual(['a answers', 'b answers', 'c answers', 'a is taken into use'])
})

test('a client that does not wait for the answer is cut off, and gets none', () => {
  const said: string[] = []
  const waiting: (() => void)[] = []
  const { exchange, connection } = exchangeOf(said, 'hasty')
  answerLater(connection, exchange, (answer) => waiting.push(answer))
  exchange.finish()
  expect(said).toEqual([])
  exchange.finish()
  for (const answer of waiting) answer()
  expect(said).toEqual(['hasty ends'])
})

/** Names of what an exchange holds of keys and bytes. */
const held = (exchange: KeyExchange | undefined): string[] =>
  Object.entries(exchange ?? {}).flatMap(([name, value]) =>
    value instanceof Uint8Array ||
    Object.values(value ?? {}).some((inner) => inner instanceof KeyObject)
      ? [name]
      : [],
  )

test('what is complete is forgotten, and the next exchange works', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const exchanges: { before: string[]; after: string[] }[] = []
  const server = new ssh2.Server({ hostKeys: [newEd25519Key().pem] }, (connection) => {
    connection.on('error', () => {})
    connection.on('authentication', (attempt) => attempt.accept())
    connection.on('handshake', () => {
      const exchange = protocolOf(connection)._kex
      const before = held(exchange)
      forgetExchange(connection)
      exchanges.push({ before, after: held(exchange) })
      if (exchanges.length === 2) resolve()
    })
    connection.on('ready', () => connection.rekey())
  })
  const listener = createServer((socket) => server.injectSocket(socket))
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const client = new ssh2.Client()
  client.on('error', reject)
  const { port } = listener.address() as AddressInfo
  client.connect({ host: '127.0.0.1', port, username: 'git', password: 'x' })
  await promise
  client.end()
  listener.close()
  for (const { before, after } of exchanges) {
    expect(before.toSorted()).toEqual(['_keys', 'sessionID'])
    // Signatures of the sign-in and later keys need the identifier of the session.
    expect(after).toEqual(['sessionID'])
  }
})
