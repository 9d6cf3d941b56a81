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
  const [base, head] = paths[0] && paths[129] ? [paths[0], paths[129]] : ['', '']
  // The README that the other side has alone is removed there.
  const link = (html: string, words: RegExp) =>
    new RegExp(`<a [^>]*href="([^"]*)"[^>]*>${words.source}`)
      .exec(html)?.[1]
      ?.replaceAll('&amp;', '&') ?? ''
  const pages = [first]
  for (let next = link(first, /The next files/); next !== ''; ) {
    const { html } = await browser.open(next)
    pages.push(html)
    next = link(html, /The next files/)
  }
  const files = (html: string) =>
    [...html.matchAll(/<details class="file diff-file[^>]* id="(\w+)"/g)].map(([, id = '']) => id)
  const shown = pages.flatMap(files)
  expect([shown.length, new Set(shown).size]).toEqual([130, 130])
  expect([files(first).includes(diffAnchor(base)), shown.at(-1)]).toEqual([true, diffAnchor(head)])
  const { html: before } = await browser.open(link(pages[1] ?? '', /The files before these/))
  expect(files(before)).toEqual(files(first))

  const tree = await browser.open(link(first, /Show all/))
  expect([
    tree.status,
    [...tree.html.matchAll(/\.ts<\/a>/g)].length,
    tree.html.includes('>src/deep<'),
  ]).toEqual([200, 130, true])
  const [top, end] = [diffAnchor(base), diffAnchor(head)]
  expect(tree.html).toContain(`href="${at}?page=2&amp;at=${end}#${end}"`)
  expect(tree.html).toContain(`href="${at}?at=${top}#${top}"`)
  await forge.user('eve')
  expect((await (await forge.browser('eve')).open(link(first, /Show all/))).status).toBe(404)
  expect(
    (await browser.open(`/${REPO}/changed-files?head=work&back=https://evil.example/`)).status,
  ).toBe(404)
})
