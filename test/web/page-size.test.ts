/**
 * The size of pages of code: at most 100 KB of HTML, whatever is in the repository. Long files and
 * folders come in parts, which together have all lines and entries.
 */
import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/index.ts'
import { runForge } from '../features/oauth/running.ts'
import { openContext } from '../journeys/browser.ts'

const MAX_PAGE_BYTES = 100_000
const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })

const source = await Bun.file(new URL('../../src/git/history/blame.ts', import.meta.url)).text()
/** The source of a real file, many times over with changing names. */
const long = Array.from({ length: 60 }, (_, round) =>
  source.replace(/\b([a-z]{4,})\b/g, (word) =>
    word.length % 5 === round % 5 ? `${word}${round}` : word,
  ),
)
  .join('')
  .split('\n')
  .slice(0, 9_800)
const FILES: Readonly<Record<string, string>> = {
  'long.ts': `${long.join('\n')}\n`,
  'numbers.json': `[\n${'1,2,3,4,5,6,7,8,9,10,\n'.repeat(6_000)}0]\n`,
  'empty.txt': '\n'.repeat(12_000),
  'escaped.txt': `${'<&>"\''.repeat(12)}\n`.repeat(3_000),
  'wide.txt': `${'漢字'.repeat(30)}\n`.repeat(2_000),
  'hostile.txt': `${'\u202e\u2066'.repeat(40)}\n`.repeat(500),
  'minified.js': 'var a=1;'.repeat(120_000),
  'long-lines.txt': `${'word '.repeat(8_000)}\n`.repeat(40),
  'wide-lines.txt': `${'word '.repeat(300)}\n`.repeat(1_500),
}
const utf16 = Buffer.concat([
  Buffer.from([0xff, 0xfe]),
  Buffer.from('a line of text\n'.repeat(20_000), 'utf16le'),
])
const put = (path: string, content: string) => ({ path, action: 'put' as const, content })
const LONG_NAME = 'a-file-with-a-name-that-is-rather-long-as-generated-ones-are'
await forge.call(createCommit, ada, {
  repo: REPO,
  branch: 'main',
  message: 'Begin',
  files: [
    ...Object.entries(FILES).map(([path, content]) => put(path, content)),
    { path: 'utf16.txt', action: 'put', content: utf16.toString('base64'), encoding: 'base64' },
    ...['deep', 'deep/er', 'deep/er/still', 'deep/er/still/deeper'].flatMap((folder) =>
      Array.from({ length: 120 }, (_, at) => put(`${folder}/${LONG_NAME}-${at}.ts`, 'x\n')),
    ),
    put('nothing.txt', ''),
    put('deep/guide.md', '# Guide\n\nthird\n'),
    put('deep/er/still/deeper/long.ts', `${long.join('\n')}\n`),
  ],
})
/** The names of files of a folder. Their commit has a title that takes much HTML. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  many: Array.from({ length: 2_940 }, (_, at) => `t${1000 + at}-what-it-tests.sh`),
  hostile: Array.from({ length: 300 }, (_, at) => `${1000 + at}${'\u202e<&"'.repeat(20)}`),
  long: Array.from({ length: 300 }, (_, at) => `${1000 + at}-${'name'.repeat(60)}`),
}
for (const [folder, names] of Object.entries(FOLDERS))
  for (let at = 0; at < names.length; at += 490)
    await forge.call(createCommit, ada, {
      repo: REPO,
      branch: 'main',
      message: `Add "all" <of> them ${'"&\''.repeat(100)}`,
      files: [
        put(`${folder}/sub/README.md`, `${at}\n`),
        ...names.slice(at, at + 490).map((name) => put(`${folder}/${name}`, 'x\n')),
      ],
    })
// Every line of this file is from a commit of its own.
const blamed = Array.from({ length: 150 }, (_, at) => `const first${at} = ${at}`)
for (let at = 0; at < blamed.length; at++) {
  blamed[at] = `const changed${at} = [${at}, 'text']`
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: `Change the line with the number ${at}, because a reader of this page needs it so`,
    files: [put('src/blamed.ts', `${blamed.join('\n')}\n`)],
  })
}

const reader = await forge.browser('ada')
async function open(path: string): Promise<string> {
  const { status, html } = await reader.open(path)
  expect([path, status]).toEqual([path, 200])
  expect([path, Buffer.byteLength(html) <= MAX_PAGE_BYTES]).toEqual([path, true])
  return html
}

const linesOf = (html: string): number[] =>
  [...html.matchAll(/<(?:li|tr) id="L(\d+)"/g)].map(([, line]) => Number(line))

const nextOf = (html: string): string | undefined => /<a href="([^"]+)" rel="next"/.exec(html)?.[1]

/** Follows the links to the next parts of a file. Returns the lines of each page. */
async function walk(path: string): Promise<number[][]> {
  const pages: number[][] = []
  for (let next: string | undefined = path; next; ) {
    const html = await open(next)
    pages.push(linesOf(html))
    next = nextOf(html)?.replaceAll('&amp;', '&')
    if (next) next += '&wait=1'
  }
  return pages
}

/** The parts are the same before a file is highlighted, and may lose their last colours. */
test('what is shown of a file does not depend on its colours', async () => {
  const path = `/${REPO}/blob/main/numbers.json`
  const early = linesOf(await open(path))
  const html = await open(`${path}?wait=1`)
  expect([early, html.includes('<i class="n">')]).toEqual([linesOf(html), true])
})

const range = (to: number): number[] => Array.from({ length: to }, (_, at) => at + 1)

for (const view of ['blob', 'blame'])
  for (const path of [...Object.keys(FILES), 'utf16.txt', 'deep/er/still/deeper/long.ts'])
    test(`${view} of ${path} in parts`, async () => {
      const pages = await walk(`/${REPO}/${view}/main/${path}?wait=1`)
      const text = FILES[path.split('/').at(-1) ?? ''] ?? 'a line of text\n'.repeat(20_000)
      const lines = text.replace(/\n$/, '').split('\n').length
      expect(pages.flat()).toEqual(range(lines))
    })

test('a blame of which each line has its own commit', async () => {
  const pages = await walk(`/${REPO}/blame/main/src/blamed.ts?wait=1`)
  expect([pages.flat().length, pages.length < 4]).toEqual([150, true])
})

test('the address of a line leads to its part: by the script, or by the form', async () => {
  const address = `${forge.url}/${REPO}/blob/main/long.ts`
  const context = await openContext()
  const page = await context.newPage()
  await page.goto(`${address}#L5000`)
  await page.waitForURL(`${address}?from=5000#L5000`)
  expect(await page.locator('#L5000').isVisible()).toBe(true)
  await page.evaluate("location.hash = '#L20-L22'")
  await page.waitForURL(`${address}?from=20#L20-L22`)
  expect(await page.locator('.lit').count()).toBe(3)
  await context.close()
  const { location } = await reader.open(`/${REPO}/blob/main/long.ts?line=5000`)
  expect([location, linesOf(await open(location)).includes(5000)]).toEqual([
    `/${REPO}/blob/main/long.ts?from=5000#L5000`,
    true,
  ])
})

/** The names in a folder's table. */
const entriesOf = (html: string): string[] =>
  [...html.matchAll(/<td[^>]*><svg.*?<a href="[^"]*\/([^/"]+)">/g)].map(([, name = '']) =>
    decodeURIComponent(name),
  )

for (const [folder, names] of Object.entries(FOLDERS))
  for (const wait of ['', '&wait=1'])
    test(`the folder ${folder} in parts${wait === '' ? '' : ' with its commits'}`, async () => {
      const found: string[] = []
      const starts: string[] = []
      for (let next = `/${REPO}/tree/main/${folder}?from=1`; next !== ''; ) {
        const html = await open(next + wait)
        starts.push(next)
        found.push(...entriesOf(html))
        next = nextOf(html)?.replaceAll('&amp;', '&') ?? ''
        const previous = /<a href="([^"]+)" rel="prev"/.exec(html)?.[1]
        if (previous !== undefined)
          expect(entriesOf(await open(previous + wait))).toEqual(
            entriesOf(await open((starts.at(-2) ?? '') + wait)),
          )
      }
      expect(found).toEqual(['sub', ...names])
    })

test('the address of a line of a document leads to its source', async () => {
  const context = await openContext()
  const page = await context.newPage()
  await page.goto(`${forge.url}/${REPO}/blob/main/deep/guide.md#L3`)
  await page.waitForURL(/\/guide\.md\?from=3#L3$/)
  expect(await page.locator('#L3').textContent()).toBe('third')
  await page.goto(`${forge.url}/${REPO}/blob/main/deep/guide.md#user-content-guide`)
  expect(await page.locator('h1 .anchor').count()).toBe(1)
  await context.close()
})

test('an entry behind the end of a folder leads to its last part', async () => {
  expect(entriesOf(await open(`/${REPO}/tree/main/many?from=99999`)).at(-1)).toBe(
    FOLDERS.many?.at(-1),
  )
})

test('an empty file has no parts', async () => {
  expect(await open(`/${REPO}/blob/main/nothing.txt`)).not.toContain('file-parts')
})

test('a line behind the end of a file leads to its last part', async () => {
  for (const [path, last] of Object.entries({ 'long.ts': 9_800, 'empty.txt': 12_000 }))
    expect(linesOf(await open(`/${REPO}/blob/main/${path}?from=99999`)).at(-1)).toBe(last)
})
