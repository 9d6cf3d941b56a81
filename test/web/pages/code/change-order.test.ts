/** The files of a change are in the order of the tree beside them, on every page of changes. */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
import { getBranch } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const PATHS = [
  'README.md',
  'a/b/deep.txt',
  'a/file.txt',
  'a-b/other.txt',
  'a.txt',
  'src/z/last.ts',
  'src/index.ts',
  'zebra.txt',
]
/** Folders come before the files beside them. */
const ORDER = [
  'a-b/other.txt',
  'a/b/deep.txt',
  'a/file.txt',
  'src/z/last.ts',
  'src/index.ts',
  'README.md',
  'a.txt',
  'zebra.txt',
]
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'begin.txt': 'a\n' }, { as: ada })
const filesOf = (lines: number) =>
  Object.fromEntries(
    PATHS.map((path) => [path, Array.from({ length: lines }, (_, at) => `line ${at}\n`).join('')]),
  )
await forge.commit(REPO, 'short', filesOf(2), { as: ada })
await forge.commit(REPO, 'long', filesOf(150), { as: ada })
const { pull } = await forge.call(createPull, ada, { repo: REPO, title: 'Add', branch: 'long' })
const { commit } = await forge.call(getBranch, ada, { repo: REPO, branch: 'long' })
const reader = await forge.browser('ada')

const shown = (html: string): string[] =>
  [...html.matchAll(/data-path="([^"]+)"/g)].map(([, path = '']) => path)
const listed = (html: string): string[] => {
  const tree = html.slice(html.indexOf('class="diff-list"'), html.indexOf('class="diff-main"'))
  return [...tree.matchAll(/<a [^>]*title="([^"]+)"/g)].map(([, path = '']) => path)
}

test('a change on one page', async () => {
  const { html } = await reader.open(`/${REPO}/compare/main...short`)
  expect([shown(html), listed(html)]).toEqual([ORDER, ORDER])
})

test.each([
  `/${REPO}/compare/main...long`,
  `/${REPO}/commit/${commit?.sha}`,
  `/${REPO}/pull/${pull.number}/changes`,
])('%s in parts', async (address) => {
  const found: string[] = []
  const places: string[] = []
  let parts = 0
  for (let next: string | undefined = address; next !== undefined; parts++) {
    const { html } = await reader.open(next)
    found.push(...shown(html))
    places.push(...[...html.matchAll(/(\d) of 8</g)].map(([, at = '']) => at))
    expect(listed(html)).toEqual(ORDER)
    next = /id="more-files"><p><a [^>]*href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  }
  expect([...new Set(found)]).toEqual(ORDER)
  expect([...new Set(places)].join('')).toBe('12345678')
  expect(parts).toBeGreaterThan(1)
})
