/** A change of more files than one page has. */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
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

test('a pull request of 450 files: its pages, its filter and the viewed marks, without a script', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'README.md': 'a\n' })
  const folder = 'packages/a-folder-with-a-rather-long-name-as-generated-ones-have/src/components'
  const paths = Array.from({ length: 450 }, (_, at) => `${folder}/part-${1000 + at}.test.tsx`)
  for (let at = 0; at < 450; at += 225)
    await forge.commit(
      REPO,
      'work',
      Object.fromEntries(paths.slice(at, at + 225).map((path) => [path, 'x\n'])),
      { as: ada },
    )
  const { pull } = await forge.call(createPull, ada, { repo: REPO, title: 'Add', branch: 'work' })
  const browser = await forge.browser('ada')
  const at = `/${REPO}/pull/${pull.number}`
  const open = async (address: string) => {
    const { status, html } = await browser.open(address)
    expect([address, status, html.length < 100_000]).toEqual([address, 200, true])
    return html
  }
  const linkIn = (html: string, pattern: RegExp) =>
    pattern.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const filesIn = (html: string) =>
    [...html.matchAll(/data-path="([^"]+)"/g)].map(([, path = '']) => path)

  const first = await open(`${at}/changes`)
  const seen: string[] = []
  for (let next = `${at}/changes`; next !== ''; ) {
    const html = await open(next.split('#')[0] ?? '')
    seen.push(...filesIn(html))
    next = linkIn(html, /<div id="more-files"><p><a [^>]*href="([^"]*)"/)
  }
  expect([...new Set(seen)]).toEqual(paths)

  // The filter finds a file of another page, which its link leads to.
  const all = linkIn(first, /<a href="([^"]*)"[^>]*>Show all 450/)
  const path = paths[333] ?? ''
  const list = linkIn(await open(`${all}&q=1333`), /<a href="([^"]*)" title="[^"]*part-1333/)
  const [address = '', anchor] = list.split('#')
  const page = await open(address)
  expect([anchor, filesIn(page).includes(path)]).toEqual([diffAnchor(path), true])

  // A mark leads back to the file, and is in the list of all files.
  const marked = await browser.press(page, `${at}/viewed`, { path, viewed: 'yes' })
  const [back = '', markedAnchor] = marked.location.split('#')
  expect([markedAnchor, filesIn(await open(back)).includes(path)]).toEqual([anchor, true])
  expect(await open(back)).toContain('1 of 450 viewed')
  for (const part of [1, 2, 3])
    expect((await open(`${all}&part=${part}`)).match(/ viewed"><a [^>]*part-1333/g)?.length).toBe(
      part === 2 ? 1 : undefined,
    )
})
