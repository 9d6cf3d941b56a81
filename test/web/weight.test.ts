/**
 * What a code page weighs on its way to a browser that has nothing yet, and what the browser may
 * keep.
 */
import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createCommit } from '#features/repos/index.ts'
import { assetPath, assets, diagramScripts, editorPath } from '#web/assets.ts'
import { chooseCoding } from '#lib/content-coding.ts'
import { runForge } from '../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
// The source of a real file of this project, many times over with changing names, so that it packs
// as code does.
const source = await Bun.file(new URL('../../src/git/history/blame.ts', import.meta.url)).text()
const long = Array.from({ length: 5 }, (_, round) =>
  source.replace(/\b([a-z]{4,})\b/g, (word) =>
    word.length % 5 === round ? `${word}${round}` : word,
  ),
).join('\n')
await forge.call(createCommit, ada, {
  repo: REPO,
  branch: 'main',
  message: 'Begin',
  files: [
    { path: 'src/long.ts', action: 'put', content: long },
    {
      path: 'src/lines.ts',
      action: 'put',
      content: Array.from({ length: 1_200 }, (_, at) => `const line_${at} = ${at}\n`).join(''),
    },
    ...Array.from({ length: 300 }, (_, at) => ({
      path: `many/file-${at}.ts`,
      action: 'put' as const,
      content: `export const n = ${at}\n`,
    })),
  ],
})
const lines = long.split('\n').length

test('the last line of a file of 1,200 lines is on a page of less than 100 KB of HTML, highlighted', async () => {
  const page = await fetch(`${forge.url}/${REPO}/blob/main/src/lines.ts?from=1200&wait=1`)
  const html = await page.text()
  expect(html).toContain('<li id="L1200"><b>const</b>')
  expect(html.length).toBeLessThan(100_000)
})

test('a form without a script leads to a line', async () => {
  const path = `/${REPO}/blob/main/src/lines.ts`
  const page = await fetch(`${forge.url}${path}?line=1100`, { redirect: 'manual' })
  expect([page.status, page.headers.get('location')]).toEqual([302, `${path}?from=1100#L1100`])
})

/** The bytes that travel: nothing is unpacked on the way. */
async function sent(path: string, accept: string, headers: Record<string, string> = {}) {
  const response = await fetch(forge.url + path, {
    decompress: false,
    headers: { 'accept-encoding': accept, ...headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    bytes: new Uint8Array(await response.arrayBuffer()),
  }
}

const PAGES = [
  `/${REPO}/blob/main/src/long.ts?wait=1`,
  `/${REPO}/blame/main/src/long.ts?wait=1`,
  `/${REPO}/tree/main/many?wait=1`,
  `/${REPO}`,
  `/${REPO}/commits/main`,
]

for (const coding of ['gzip', 'zstd, gzip']) {
  test(`a code page with all its files is under 100 KB (${coding})`, async () => {
    expect(lines).toBeGreaterThan(1200)
    const files = await Promise.all(
      [...assets.values()]
        .filter(({ isOnDemand }) => !isOnDemand)
        .map(async ({ path }) => (await sent(path, 'br, gzip')).bytes.length),
    )
    for (const path of PAGES) {
      const page = await sent(path, coding)
      expect([page.status, page.headers.get('content-encoding'), page.headers.get('vary')]).toEqual(
        [200, coding.split(',')[0] ?? '', 'accept-encoding, accept-language'],
      )
      expect([
        path,
        page.bytes.length + files.reduce((sum, size) => sum + size, 0) < 100_000,
      ]).toEqual([path, true])
    }
  })
}

test('the compressed script is under 20 KB and deferred', async () => {
  for (const coding of ['br', 'gzip'])
    expect((await sent(assetPath('client.js'), coding)).bytes.length).toBeLessThan(20 * 1024)
  for (const path of PAGES) {
    const html = new TextDecoder().decode(gunzipSync((await sent(path, 'gzip')).bytes))
    const scripts = html.match(/<script\b[^>]*>/g) ?? []
    expect(scripts.length).toBe(1)
    for (const script of scripts) expect(script).toMatch(/ src="\/assets\/[^"]+" defer/)
    expect(html.match(/<link[^>]+rel="stylesheet"/g)).toHaveLength(1)
  }
})

test('assets are cached for ever, with an entity tag per coding', async () => {
  for (const [path, asset] of assets) {
    const plain = await sent(path, 'identity')
    expect([
      plain.headers.get('content-encoding'),
      plain.headers.get('cache-control'),
      plain.headers.get('vary'),
    ]).toEqual([null, 'public, max-age=31536000, immutable', 'accept-encoding'])
    expect(new TextDecoder().decode(plain.bytes)).toBe(asset.body)
    const packed = await sent(path, 'gzip, deflate, br, zstd')
    const unpacked =
      packed.headers.get('content-encoding') === 'br'
        ? brotliDecompressSync(packed.bytes)
        : packed.bytes
    expect(new TextDecoder().decode(unpacked)).toBe(asset.body)
    for (const { headers } of [plain, packed]) {
      const tag = headers.get('etag') ?? ''
      const again = await sent(path, headers === plain.headers ? 'identity' : 'br', {
        'if-none-match': tag,
      })
      expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, tag])
    }
    expect((await sent(path, 'identity', { 'if-none-match': '"other"' })).status).toBe(200)
  }
})

test('a coding that the browser does not accept is not sent', async () => {
  expect((await sent(`/${REPO}`, 'identity')).headers.get('content-encoding')).toBeNull()
  expect((await sent(`/${REPO}`, 'gzip;q=0')).headers.get('content-encoding')).toBeNull()
  expect(chooseCoding(null, ['zstd', 'gzip'])).toBeNull()
  expect(chooseCoding('br;q=0.5, gzip;q=0', ['zstd', 'gzip'])).toBeNull()
  expect(chooseCoding('*', ['zstd', 'gzip'])).toBe('zstd')
  expect(chooseCoding('GZIP;q=0.1', ['zstd', 'gzip'])).toBe('gzip')
})

test('the code editor is a script of its own, in parts, loaded by the editor alone', async () => {
  const form = new TextDecoder().decode(
    (await sent(`/${REPO}/edit/main/src/long.ts`, 'identity')).bytes,
  )
  expect(form).not.toContain('data-editor')
  const files = [...assets.values()].filter(
    ({ isOnDemand, path }) => isOnDemand && !diagramScripts.includes(path),
  )
  const entry = files.find(({ path }) => path === editorPath)
  const sizes = await Promise.all(
    files.map(async ({ path }) => (await sent(path, 'br')).bytes.length),
  )
  expect([files.length > 10, entry !== undefined]).toEqual([true, true])
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000)
  for (const path of PAGES) {
    const html = new TextDecoder().decode(gunzipSync((await sent(path, 'gzip')).bytes))
    expect(html).not.toContain(editorPath ?? '/assets/editor-')
  }
})

test('the scripts of diagrams are loaded by their frame alone, and weigh less than 700 KB', async () => {
  const sizes = await Promise.all(
    diagramScripts.map(async (path) => (await sent(path, 'br')).bytes.length),
  )
  expect(sizes.length).toBe(2)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(700_000)
  for (const path of PAGES) {
    const html = new TextDecoder().decode(gunzipSync((await sent(path, 'gzip')).bytes))
    expect(html).not.toContain('/assets/mermaid-')
  }
})
