import { expect, test } from 'bun:test'
import { AddressReplacer, replaceInStream } from '#lib/replace-bytes.ts'

const RULES = [
  { from: 'https://a.test/api', to: 'http://door/v' },
  { from: 'https://a.test', to: 'http://door' },
]

const throughStream = async (pieces: readonly string[]): Promise<string> => {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece))
      controller.close()
    },
  })
  return new Response(replaceInStream(stream, RULES)).text()
}

test('replaces addresses, and leaves names that only begin like one', () => {
  const replacer = new AddressReplacer(RULES)
  for (const [text, expected] of [
    ['', ''],
    ['nothing', 'nothing'],
    ['https://a.test', 'http://door'],
    ['"https://a.test/x" https://a.test/api/v1', '"http://door/x" http://door/v/v1'],
    [
      'https://a.test.evil https://a.test:8 https://a.test2',
      'https://a.test.evil http://door:8 https://a.test2',
    ],
    ['https://a.test/apis', 'https://a.test/apis'],
    ['https://a.tes', 'https://a.tes'],
    ['https://a.testhttps://a.test', 'https://a.testhttp://door'],
  ] as const)
    expect([text, replacer.text(text)]).toEqual([text, expected])
})

test('a stream says the same however it is cut', async () => {
  const text = 'ü https://a.test/x,https://a.test/api/v1;https://a.test.evil https://a.test'
  const whole = new AddressReplacer(RULES).text(text)
  expect(await throughStream([text])).toBe(whole)
  expect(await throughStream([...text])).toBe(whole)
  for (let cut = 0; cut <= text.length; cut++)
    expect(await throughStream([text.slice(0, cut), text.slice(cut)])).toBe(whole)
  expect(await throughStream([])).toBe('')
})
