/** A change of more files than one page has. */
import { expect, test } from 'bun:test'
import { diffAnchor } from '#web/components/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'

test('a page has its files, a link to the next ones and to a tree of all', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada, private: true })
  await forge.commit(REPO, 'main', { 'README.md': 'a\n' })
  const paths = Array.from(
    { length: 130 },
    (_, at) => `src/deep/part${String(at).padStart(3, '0')}.ts`,
  )
  await forge.commit(REPO, 'work', Object.fromEntries(paths.map((path) => [path, `${path}\n`])))
  const browser = await forge.browser('ada')
  const at = `/${REPO}/compare/main...work`
  const first = (await browser.open(at)).html
  const files = (html: string) => [...html.matchAll(/<details class="file diff-file/g)].length
  const [base, head] = paths[0] && paths[129] ? [paths[0], paths[129]] : ['', '']
  // The README that the other side has alone is removed there.
  const link = (html: string, words: RegExp) =>
    new RegExp(`<a [^>]*href="([^"]*)"[^>]*>${words.source}`)
      .exec(html)?.[1]
      ?.replaceAll('&amp;', '&') ?? ''
  const next = link(first, /The next files/)
  expect([
    files(first),
    next.startsWith(`${at}?page=2`),
    first.includes(diffAnchor(base)),
    first.includes(diffAnchor(head)),
  ]).toEqual([100, true, true, false])
  const second = (await browser.open(next)).html
  expect([
    files(second) >= 30,
    second.includes(diffAnchor(head)),
    link(second, /The next files/),
    link(second, /The files before these/),
  ]).toEqual([true, true, '', at])

  const tree = await browser.open(link(first, /Show all/))
  expect([
    tree.status,
    [...tree.html.matchAll(/\.ts<\/a>/g)].length,
    tree.html.includes('>src/deep<'),
  ]).toEqual([200, 130, true])
  expect(tree.html).toContain(`href="${at}?page=2#${diffAnchor(head)}"`)
  expect(tree.html).toContain(`href="${at}#${diffAnchor(base)}"`)
  await forge.user('eve')
  expect((await (await forge.browser('eve')).open(link(first, /Show all/))).status).toBe(404)
  expect(
    (await browser.open(`/${REPO}/changed-files?head=work&back=https://evil.example/`)).status,
  ).toBe(404)
})
