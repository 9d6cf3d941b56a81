/** When exchanges of keys are answered. */
import { expect, test } from 'bun:test'
import type { Connection } from 'ssh2'
import { answerLater, type KeyExchange } from '#src/ssh/key-exchange.ts'
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
