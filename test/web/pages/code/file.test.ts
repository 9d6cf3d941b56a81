/** The page of one file: text in any encoding, documents, tables, notebooks, pictures. */
import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/index.ts'
import { createCache } from '#lib/cache.ts'
import { Highlighter } from '#web/highlight/highlighter.ts'
import { imageSize } from '#web/pages/code/image-size.ts'
import { readTable } from '#web/pages/code/csv.ts'
import { textFromBytes } from '#web/pages/code/text.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const base64 = (bytes: Buffer) => ({
  action: 'put' as const,
  encoding: 'base64' as const,
  content: bytes.toString('base64'),
})
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAEklEQVR4nGP4z8DwH4QZYAwAR8oH+WZBEjkAAAAASUVORK5CYII=',
  'base64',
)
const notebook = {
  nbformat: 4,
  metadata: { language_info: { name: 'python' } },
  cells: [
    { cell_type: 'markdown', source: ['# Title\n', '<script>alert(1)</script>'] },
    {
      cell_type: 'code',
      execution_count: 7,
      source: 'import os\nprint("<b>")',
      outputs: [
        { output_type: 'stream', text: ['<b>out</b>\n'] },
        {
          output_type: 'display_data',
          data: { 'text/html': '<img src=x onerror=alert(1)>', 'text/plain': 'a frame' },
        },
        { output_type: 'display_data', data: { 'image/png': png.toString('base64') } },
        { output_type: 'display_data', data: { 'image/png': '"><script>alert(2)</script>' } },
        { output_type: 'error', traceback: ['\u001b[31mBoom\u001b[0m'] },
      ],
    },
  ],
}
await forge.call(createCommit, ada, {
  repo: REPO,
  branch: 'main',
  message: 'Begin',
  files: [
    { path: 'latin.txt', ...base64(Buffer.from('caf\xe9 cr\xe8me\n', 'latin1')) },
    {
      path: 'utf16.txt',
      ...base64(
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße\nwide\n', 'utf16le')]),
      ),
    },
    { path: 'blob.bin', ...base64(Buffer.from([0, 1, 2, 3, 0, 255, 254, 0, 0, 7])) },
    { path: 'logo.png', ...base64(png) },
    { path: 'data.csv', action: 'put', content: 'name,said\nAda,"one, ""two""\nthree"\n<b>,x\n' },
    { path: 'notes.ipynb', action: 'put', content: JSON.stringify(notebook) },
    { path: 'bad.ipynb', action: 'put', content: '{"nbformat": 4' },
    {
      path: 'mark.svg',
      action: 'put',
      content:
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><script>alert(1)</script></svg>',
    },
    { path: 'docs/guide.md', action: 'put', content: '# Guide\n[up](../data.csv)\n' },
    { path: 'link', action: 'put', mode: '120000', content: 'docs/guide.md' },
    {
      path: 'large.bin',
      action: 'put',
      content: `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345678\n`,
    },
    { path: 'CODEOWNERS', action: 'put', content: '*.csv @ada\n' },
  ],
})
const visitor = await forge.browser(null)
const blob = async (path: string) => (await visitor.open(`/${REPO}/blob/main/${path}`)).html

test('text in another encoding is shown, with the name of the encoding', async () => {
  const latin = await blob('latin.txt')
  expect([
    latin.includes('café crème'),
    latin.includes('Latin-1'),
    latin.includes('This file is not text'),
  ]).toEqual([true, true, false])
  const wide = await blob('utf16.txt')
  expect([wide.includes('>Grüße<'), wide.includes('>wide<'), wide.includes('UTF-16LE')]).toEqual([
    true,
    true,
    true,
  ])
  expect(await blob('blob.bin')).toContain('This file is not text')
  expect((await visitor.open(`/${REPO}/blame/main/latin.txt`)).html).toContain('café crème')
  const lines = (await visitor.open(`/${REPO}/blame/main/utf16.txt?wait=1`)).html
  expect([
    lines.includes('>Grüße<'),
    lines.includes('title="Begin, by ada"'),
    lines.includes('This file is not text'),
  ]).toEqual([true, true, false])
  expect((await visitor.open(`/${REPO}/raw/main/latin.txt`)).headers.get('content-type')).toBe(
    'text/plain; charset=windows-1252',
  )
  expect((await visitor.open(`/${REPO}/raw/main/blob.bin`)).headers.get('content-type')).toBe(
    'application/octet-stream',
  )
})

test('UTF-16 without a byte order mark is detected, and binary content is not text', () => {
  expect(textFromBytes(Buffer.from('plain words, wide\n', 'utf16le'))).toEqual({
    text: 'plain words, wide\n',
    encoding: 'UTF-16LE',
  })
  expect(textFromBytes(Buffer.from('plain words, wide\n', 'utf16le').swap16())).toEqual({
    text: 'plain words, wide\n',
    encoding: 'UTF-16BE',
  })
  expect(textFromBytes(crypto.getRandomValues(new Uint8Array(4000)))).toBeNull()
})

test('a notebook is shown without its scripts', async () => {
  const html = await blob('notes.ipynb')
  expect([
    html.includes('>Title<a'),
    html.includes('[7]'),
    html.includes('&lt;b&gt;out&lt;/b&gt;'),
    html.includes('a frame'),
    /<img src="[^"]+\/raw\/main\/notes\.ipynb\?picture=\d+\.\d+"/.test(html),
    html.includes('Boom'),
  ]).toEqual([true, true, true, true, true, true])
  expect([
    html.includes('<script>alert'),
    html.includes('onerror'),
    html.includes('\u001b'),
  ]).toEqual([false, false, false])
  expect((await visitor.open(`/${REPO}/blob/main/notes.ipynb?plain=1`)).html).toContain('nbformat')
  expect(await blob('bad.ipynb')).toContain('nbformat')
})

test('tables, documents, pictures and links', async () => {
  const csv = await blob('data.csv')
  expect([
    csv.includes('<th scope="col">said</th>'),
    csv.includes('<td>one, &quot;two&quot;\nthree</td>'),
    csv.includes('<td>&lt;b&gt;</td>'),
    csv.includes('href="/ada">@ada'),
  ]).toEqual([true, true, true, true])
  expect(await blob('docs/guide.md')).toContain(`/${REPO}/blob/main/data.csv"`)
  expect(await blob('logo.png')).toContain('2 × 3')
  const svg = await blob('mark.svg')
  expect([svg.includes('20 × 10'), svg.includes('<script>alert')]).toEqual([true, false])
  expect(await blob('link')).toContain(`href="/${REPO}/blob/main/docs/guide.md"`)
  expect(await blob('large.bin')).toContain('Git LFS')
})

test('a permanent link names the commit', async () => {
  expect(await blob('latin.txt')).toMatch(
    new RegExp(`href="/${REPO}/blob/[0-9a-f]{40}/latin.txt"[^>]*data-hotkey="y"`),
  )
})

test('a large file is highlighted by another thread, the same as it would be here', async () => {
  const text = Array.from(
    { length: 8000 },
    (_, at) => `const value${at} = "text ${at}" // <note>`,
  ).join('\n')
  const highlighter = new Highlighter(createCache({ maxSize: 10, sizeOf: () => 1 }))
  const first = await highlighter.file(
    { oid: 'f'.repeat(40), path: 'a.ts', text },
    { patience: 60_000 },
  )
  expect([first.late, first.lines.length, first.lines[7999]]).toEqual([
    false,
    8000,
    '<b>const</b> value7999 = <i>&quot;text 7999&quot;</i> <i class="c">// &lt;note&gt;</i>',
  ])
  const late = await highlighter.file({ oid: 'e'.repeat(40), path: 'a.ts', text }, { patience: 0 })
  expect([late.late, late.lines[0]]).toEqual([
    true,
    'const value0 = &quot;text 0&quot; // &lt;note&gt;',
  ])
})

test('sizes of images and tables are read from broken files as well', () => {
  expect(imageSize(png)).toEqual({ width: 2, height: 3 })
  expect(imageSize(new Uint8Array([0xff, 0xd8, 0xff]))).toBeNull()
  expect(imageSize(new Uint8Array(0))).toBeNull()
  expect(readTable('just text\nmore\n', ',')).toBeNull()
  expect(readTable('a,b\r\n"x\n', ',')).toEqual({ rows: [['a', 'b'], ['x\n']], more: false })
  expect(readTable('a,"b""c"d,\n\n"e\r\nf",', ',')).toEqual({
    rows: [
      ['a', 'b"cd', ''],
      ['e\r\nf', ''],
    ],
    more: false,
  })
})
