/** Bodies are limited in bytes, fields, depth and time, whatever door they come through. */
import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { RequestBody, type BodyLimits } from '#http/body.ts'
import { parseJson } from '#lib/parse-json.ts'
import { Refusal } from '#lib/errors.ts'

const post = (body: BodyInit, type: string): RequestBody =>
  new RequestBody(
    new Request('http://x', { method: 'POST', body, headers: { 'content-type': type } }),
  )
const form = (body: BodyInit): RequestBody => post(body, 'application/x-www-form-urlencoded')
const limits: BodyLimits = { maxBytes: 1024 * 1024 }

const refusalOf = async (promise: Promise<unknown>): Promise<Refusal> => {
  const error: unknown = await promise.then(() => null).catch((thrown: unknown) => thrown)
  if (!(error instanceof Refusal)) throw new Error('it was not refused')
  return error
}
const cpuMs = async (run: () => unknown): Promise<number> => {
  // Of this thread: others compile and collect garbage of what ran before.
  const before = process.threadCpuUsage()
  await Promise.resolve(run()).catch(() => {})
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test('a form gives its fields by name, with plain line ends', async () => {
  const fields = await form('a=1&b=x%20y&a=2&text=one%0D%0Atwo&=&c').form(limits)
  expect([...fields]).toEqual([
    ['a', ['1', '2']],
    ['b', ['x y']],
    ['text', ['one\ntwo']],
    ['', ['']],
    ['c', ['']],
  ])
  const data = new FormData()
  data.append('a', 'ü')
  data.append('a', '2')
  data.append('file', new File(['x'], 'x.txt'))
  const sent = new RequestBody(new Request('http://x', { method: 'POST', body: data }))
  expect([...(await sent.form(limits))]).toEqual([['a', ['ü', '2']]])
})

test('too many fields of a form are refused before they are parsed', async () => {
  for (const text of ['a&'.repeat(80_000), 'a=1&'.repeat(5000), '&'.repeat(900_000)]) {
    expect((await refusalOf(form(text).form(limits))).code).toBe('bad_request')
    expect(await cpuMs(() => form(text).form(limits))).toBeLessThan(50)
  }
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
  const parts = post(`${part.repeat(1001)}--b--\r\n`, 'multipart/form-data; boundary=b')
  expect((await refusalOf(parts.form(limits))).code).toBe('bad_request')
})

test('headers of parts take time in proportion to their bytes', async () => {
  const value = `Content-Type:${' '.repeat(8000)};${' ;'.repeat(3500)}`
  const part = `--b\r\nContent-Disposition: form-data; name="a"${' '.repeat(800)}\r\n${value}\r\n\r\n1\r\n`
  const parts = () =>
    post(`${part.repeat(60)}--b--\r\n`, 'multipart/form-data; boundary=b').form(limits)
  expect((await parts()).get('a')).toHaveLength(60)
  expect(await cpuMs(parts)).toBeLessThan(100)
})

test('a body without end is refused at its limit, and the rest is not read', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536))
    },
  })
  const body = post(endless, 'application/x-www-form-urlencoded')
  expect((await refusalOf(body.form({ maxBytes: 256 * 1024 }))).code).toBe('too_large')
  expect(sent).toBeLessThan(600 * 1024)
})

test('JSON is checked for depth before it is parsed', async () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const nested = (depth: number) => bytes(`${'['.repeat(depth)}${']'.repeat(depth)}`)
  expect(parseJson(nested(65))).toBeArray()
  expect(() => parseJson(nested(66))).toThrow('nested more than 64 deep')
  expect(parseJson(bytes(JSON.stringify({ text: '[{"\\'.repeat(500) })))).toHaveProperty('text')
  expect(() => parseJson(bytes(`{"a":${' '.repeat(100)}`))).toThrow('not valid JSON')
  expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow('not valid UTF-8')
  for (const deep of ['['.repeat(400_000), '{"a":'.repeat(100_000)])
    expect(await cpuMs(() => expect(() => parseJson(bytes(deep))).toThrow('nested'))).toBeLessThan(
      50,
    )
})

test('JSON with very many values is refused before it is parsed', async () => {
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  expect(parseJson(bytes(Array(50_001).fill(1)))).toHaveLength(50_001)
  expect(() => parseJson(bytes(Array(50_002).fill(1)))).toThrow('more than 50000 values')
  // Commas in texts are no values.
  expect(parseJson(bytes(','.repeat(60_000)))).toHaveLength(60_000)
})

test('a body that stops arriving is given up, and the client is told', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const body = new RequestBody(request)
      try {
        await body.bytes({ maxBytes: 1000, idleTimeoutMs: 100 })
        return new Response('read')
      } catch (error) {
        return new Response(error instanceof Refusal ? error.reason : 'fault', { status: 400 })
      }
    },
  })
  afterAll(() => server.stop(true))
  const response = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(Number(server.port), '127.0.0.1', () =>
      socket.write(
        'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      ),
    )
    socket.on('data', (data) => {
      text += data.toString()
      socket.destroy()
    })
    socket.on('close', () => resolve(text))
  })
  expect(response).toStartWith('HTTP/1.1 400')
  expect(response).toEndWith('timeout')
})
