import { afterAll, expect, test } from 'bun:test'
import { Highlighter } from '#web/highlight/highlighter.ts'
import { createCache } from '#lib/cache.ts'

const open: Highlighter[] = []
afterAll(() => Promise.all(open.map((highlighter) => highlighter.close())))

const makeHighlighter = (timeoutMs?: number): Highlighter => {
  const highlighter = new Highlighter(createCache({ maxSize: 1000, sizeOf: () => 1 }), timeoutMs)
  open.push(highlighter)
  return highlighter
}
const shown = makeHighlighter()
const patient = { patience: 60_000 }
/** Lines of 5,000 characters that each take this grammar a second. */
const HARD_LINE = '[a]('.repeat(1200)
const HARD = `${HARD_LINE}\n`.repeat(20)
const HARD_LINES = new Array<string>(20).fill(HARD_LINE)

test('the same blob is highlighted once, under another name by its own grammar', async () => {
  const blob = { oid: 'f'.repeat(40), path: 'a.js', text: 'let a = 1' }
  const { lines, late } = await shown.file(blob, patient)
  expect([late, lines[0]]).toEqual([false, '<b>let</b> a = <i class="n">1</i>'])
  expect((await shown.file({ ...blob, path: 'dir/b.mjs' }, { patience: 0 })).lines).toBe(lines)
  expect(await shown.file({ ...blob, path: 'b.txt' })).toEqual({
    lines: ['let a = 1'],
    late: false,
    isPlain: true,
  })
})

test('texts of one language are highlighted together and known from then on', async () => {
  const texts = ['let a = 1\n', 'let b = "<"\r\n']
  const first = shown.texts(texts, 'javascript', 'ada')
  expect(first).toBeInstanceOf(Promise)
  const lines = await first
  expect(lines.map((text) => text[0]?.includes('<b>'))).toEqual([true, true])
  expect(shown.texts(texts, 'javascript', 'bob')).toBe(lines)
  expect(shown.texts(['<'], null, 'ada')).toEqual([['&lt;']])
  expect(shown.texts(['<'], 'plaintext', 'ada')).toEqual([['&lt;']])
})

test('a text that takes too long is plain, also when it is asked again, and the next is not', async () => {
  const highlighter = makeHighlighter(2_000)
  const before = process.threadCpuUsage()
  const hard = { oid: 'a'.repeat(40), path: 'a.md', text: HARD }
  const other = highlighter.texts(['let a = 1'], 'javascript', 'bob')
  expect(await highlighter.file(hard, patient)).toEqual({
    lines: HARD_LINES,
    late: false,
    isPlain: false,
  })
  // Known: no thread is asked.
  expect(await highlighter.file(hard, { patience: 0 })).toEqual({
    lines: HARD_LINES,
    late: false,
    isPlain: false,
  })
  expect(await highlighter.texts([HARD], 'markdown', 'ada')).toEqual([HARD_LINES])
  expect(highlighter.texts([HARD], 'markdown', 'ada')).toEqual([HARD_LINES])
  expect((await other)[0]?.[0]).toContain('<b>')
  expect((await highlighter.texts(['let c = 1'], 'javascript', 'ada'))[0]?.[0]).toContain('<b>')
  // This thread has only waited: the grammar alone takes all of the two seconds.
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(500)
})

test('a text that takes too long leaves the others of its page highlighted', async () => {
  const highlighter = makeHighlighter(1_000)
  const [hard, other] = await Promise.all([
    highlighter.texts([HARD], 'markdown', 'ada'),
    highlighter.texts(['let a = 1'], 'javascript', 'ada'),
  ])
  expect(hard).toEqual([HARD_LINES])
  expect(other[0]?.[0]).toContain('<b>')
})

test('files of a page above the size of a message are all highlighted', async () => {
  const highlighter = makeHighlighter()
  const filler = `let filler = 1\n`.repeat(2_000)
  const pages = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      highlighter.texts([`let a = ${at}\n${filler}`], 'javascript', 'ada'),
    ),
  )
  expect(pages.map(([text]) => text?.[0])).toEqual(
    Array.from({ length: 12 }, (_, at) => `<b>let</b> a = <i class="n">${at}</i>`),
  )
})

test('when too many texts wait, further ones are plain and tried again later', async () => {
  const highlighter = makeHighlighter()
  const all = Array.from({ length: 40 }, (_, at) =>
    highlighter.texts([`let a = ${at}`], 'javascript', `caller ${at}`),
  )
  const lines = await Promise.all(all)
  const plain = lines.filter(([text]) => !text?.[0]?.includes('<b>'))
  expect(plain.length).toBeGreaterThan(0)
  expect(plain.length).toBeLessThan(10)
  expect((await highlighter.texts(['let a = 39'], 'javascript', 'ada'))[0]?.[0]).toContain('<b>')
})
