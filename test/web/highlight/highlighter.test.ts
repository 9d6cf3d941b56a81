import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createCache } from '#lib/cache.ts'
import { highlightLines } from '#web/highlight.ts'
import { Highlighter } from '#web/highlight/highlighter.ts'
import { HighlightThread } from '#web/highlight/thread.ts'

const files = () => createCache<string[]>({ maxSize: 1_000, sizeOf: () => 1 })
const source = (name: string, text: string) => ({ oid: name, path: `${name}.ts`, text })
const LINE = 'const a = "one"\n'
const LONG_MS = 100_000

/** A thread that does not respond to a text with `stop` in it. */
const stubborn = join(tmpdir(), `stubborn-highlight-${process.pid}.worker.ts`)
writeFileSync(
  stubborn,
  `self.onmessage = ({ data: { id, request } }) => {
    while (request.text.includes('stop')) {}
    self.postMessage({ id, response: ['done'] })
  }`,
)

test('a long file comes from the thread as it would from here, then from the cache', async () => {
  const highlighter = new Highlighter(files())
  afterAll(() => highlighter.close())
  const text = LINE.repeat(1_000)
  const { lines, late } = await highlighter.file(source('a', text), 'ada', LONG_MS)
  expect(late).toBe(false)
  expect(lines).toEqual(highlightLines(text, 'typescript'))
  expect(lines[0]).toContain('<span')
  expect((await highlighter.file(source('a', text), 'ada', 0)).lines).toBe(lines)
})

test('a file that takes too long is plain, also for its next reader; others are not', async () => {
  const thread = new HighlightThread(500, () => pathToFileURL(stubborn))
  const highlighter = new Highlighter(files(), thread)
  afterAll(() => highlighter.close())
  const hostile = `<b> stop\n${LINE.repeat(1_000)}`
  const [slow, other] = await Promise.all([
    highlighter.file(source('slow', hostile), 'eve', LONG_MS),
    highlighter.file(source('other', LINE.repeat(1_000)), 'ada', LONG_MS),
  ])
  expect(slow.lines[0]).toBe('&lt;b&gt; stop')
  expect(other.lines).toEqual(['done'])
  const again = await highlighter.file(source('slow', hostile), 'ada', 0)
  expect(again).toEqual({ lines: slow.lines, late: false })
})
