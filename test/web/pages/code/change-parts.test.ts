/**
 * Changes in parts: no page has more than 100 KB of HTML, the parts together have every line once, and
 * links lead to the part with their line.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { addComment } from '#features/issues/index.ts'
import {
  addDraftComment,
  createPull,
  listReviewThreads,
  markFileViewed,
  markPullReady,
} from '#features/pulls/index.ts'
import { createBranch, createCommit } from '#features/repos/index.ts'
import { diffAnchor } from '#web/components/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage } from '../pulls/browser-page.ts'

const MAX_PAGE_BYTES = 100_000
const REPO = 'acme/site'
const forge = await runForge()
const [ada, bob] = [await forge.user('ada'), await forge.user('bob')]
await forge.workspace('acme', { owner: ada, members: [bob] })
await forge.repo(REPO, { as: ada })
const source = (
  await Bun.file(new URL('../../../../src/git/history/blame.ts', import.meta.url)).text()
).split('\n')

const put = (path: string, content: string) => ({ path, action: 'put' as const, content })
const commit = (branch: string, files: ReturnType<typeof put>[]) =>
  forge.call(createCommit, ada, { repo: REPO, branch, message: `Change ${branch}`, files })

/** A pull request that changes files from `before` to `after`. */
async function pullOf(branch: string, files: Record<string, { before?: string; after: string }>) {
  const all = Object.entries(files)
  const old = all.flatMap(([path, { before }]) => (before === undefined ? [] : put(path, before)))
  if (old.length > 0) await commit('main', old)
  await forge.call(createBranch, ada, { repo: REPO, branch, from: 'main' })
  await commit(
    branch,
    all.map(([path, { after }]) => put(path, after)),
  )
  const { pull } = await forge.call(createPull, bob, { repo: REPO, branch, title: `Do ${branch}` })
  await forge.call(markPullReady, bob, { repo: REPO, number: pull.number, summary: 'Done' })
  return pull.number
}

const pathOf = (at: number) => `src/folder${at % 9}/module-${String(at).padStart(3, '0')}.ts`
const smallFile = (at: number, word: string) =>
  `${source
    .slice(0, 30)
    .map((line, index) => (index === 12 ? `const ${word}${at} = 'value' // ${word}` : line))
    .join('\n')}\n`
/** Real source, with other names in each round. */
const longFile = (lines: number, from = 0) =>
  `${Array.from({ length: Math.ceil(lines / source.length) }, (_, round) =>
    source.map((line) =>
      line.replace(/\b([a-z]{4,})\b/g, (word) =>
        word.length % 5 === (round + from) % 5 ? `${word}${round + from}` : word,
      ),
    ),
  )
    .flat()
    .slice(0, lines)
    .join('\n')}\n`

await commit('main', [put('README.md', 'Begin\n')])
const many = await pullOf(
  'many',
  Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [
      pathOf(at),
      { before: smallFile(at, 'before'), after: smallFile(at, 'after') },
    ]),
  ),
)
const long = await pullOf('long', { 'src/long.ts': { after: longFile(6_000) } })
const DEEP = 'a-folder-with-a-name-that-is-rather-long'
const odd = await pullOf('odd', {
  'rewritten.ts': { before: longFile(900), after: longFile(900, 1) },
  'minified.js': { before: 'var a=1;\n', after: `${'var a=1;'.repeat(120_000)}\n` },
  'escaped.txt': { after: `${'<&>"\''.repeat(12)}\n`.repeat(900) },
  'wide.txt': { after: `${'漢字'.repeat(30)}\n`.repeat(500) },
  'hostile.txt': { after: `${'\u202e\u2066'.repeat(40)}\n`.repeat(100) },
  // Every second word of each line is another one.
  'words.txt': {
    before: `${'a b '.repeat(240)}\n`.repeat(60),
    after: `${'a c '.repeat(240)}\n`.repeat(60),
  },
  'empty.txt': { after: '\n'.repeat(2_000) },
  'no-end.txt': { before: 'x', after: 'y' },
  ...Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => [
      `${Array.from({ length: 8 }, () => DEEP).join('/')}/${at}/ünïcödé & <${at}>.txt`,
      { after: 'x\n' },
    ]),
  ),
})

const reviewer = await forge.browser('ada')
const visitor = await forge.browser(null)
const changesOf = (number: number) => `/${REPO}/pull/${number}/changes`

async function open(path: string, as = reviewer): Promise<string> {
  const { status, html } = await as.open(path)
  expect([path, status]).toEqual([path, 200])
  const bytes = Buffer.byteLength(html)
  expect([path, bytes, bytes <= MAX_PAGE_BYTES]).toEqual([path, bytes, true])
  return html
}

const linesOf = (html: string): string[] =>
  [...html.matchAll(/<td id="(d[0-9a-z]+[LR]\d+)">/g)].map(([, id = '']) => id)
const filesOf = (html: string): string[] =>
  [...html.matchAll(/<details class="file diff-file[^>]* id="(d[0-9a-z]+)"/g)].map(
    ([, id = '']) => id,
  )
const linkOf = (html: string, rel: string): string =>
  new RegExp(`<a [^>]*href="([^"]+)" rel="${rel} nofollow"`)
    .exec(html)?.[1]
    ?.replaceAll('&amp;', '&') ?? ''

/** Follows the links to the next parts. */
async function walk(path: string, as = reviewer): Promise<string[]> {
  const pages: string[] = []
  for (let next = path; next !== ''; next = linkOf(pages.at(-1) ?? '', 'next'))
    pages.push(await open(next, as))
  return pages
}

const LONG = 'path=src/long.ts'
/** Anonymous visitors may ask for a limited number of pages a minute. */
const WALKS = [
  ['many files', changesOf(many), reviewer],
  ['many files, side by side', `${changesOf(many)}?view=split`, reviewer],
  ['many files, anonymous', changesOf(many), visitor],
  ['many files of a comparison', `/${REPO}/compare/main...many`, reviewer],
  ['a long file', `${changesOf(long)}?${LONG}`, reviewer],
  ['a long file, side by side', `${changesOf(long)}?${LONG}&view=split`, reviewer],
  ['a long file, anonymous', `${changesOf(long)}?${LONG}`, visitor],
  ['odd files', changesOf(odd), reviewer],
  ['odd files, side by side', `${changesOf(odd)}?view=split`, reviewer],
] as const

for (const [name, path, as] of WALKS)
  test(`the parts have all lines once: ${name}`, async () => {
    const pages = await walk(path, as)
    const lines = pages.flatMap(linesOf)
    expect(lines.length).toBe(new Set(lines).size)
    const files = pages.flatMap(filesOf)
    expect(files.length).toBe(new Set(files).size)
    if (path.includes(LONG)) {
      const anchor = diffAnchor('src/long.ts')
      expect(lines).toEqual(Array.from({ length: 6_000 }, (_, at) => `${anchor}R${at + 1}`))
    } else expect(files).toHaveLength(path.startsWith(changesOf(odd)) ? 88 : 300)
    // And back.
    const back: string[][] = []
    for (let at = linkOf(pages.at(-1) ?? '', 'prev'); at !== ''; ) {
      const html = await open(at, as)
      back.unshift(linesOf(html))
      at = linkOf(html, 'prev')
    }
    expect(back).toEqual(pages.slice(0, -1).map(linesOf))
  })

test('pages are as small as they were measured', async () => {
  const sizes = await Promise.all(
    [changesOf(many), `${changesOf(long)}?${LONG}`].map(async (path) => {
      const html = await open(path)
      return [filesOf(html).length, linesOf(html).length] as const
    }),
  )
  expect(sizes.map(([files, lines]) => [files >= 12, lines >= 220])).toEqual([
    [true, false],
    [false, true],
  ])
})

test('a line number is a link without a script', async () => {
  const html = await open(`/${REPO}/compare/main...long?${LONG}`)
  const id = `${diffAnchor('src/long.ts')}R7`
  expect(html).toContain(`<td id="${id}"><a href="#${id}" tabindex="-1">7</a></td>`)
})

describe('links lead to the part with their line', () => {
  const id = `${diffAnchor(pathOf(250))}R13`
  const inLong = `${diffAnchor('src/long.ts')}R4500`
  test('by the id of a line, in any hundred of files', async () => {
    for (const at of [id, `${diffAnchor(pathOf(160))}L13`, diffAnchor(pathOf(299))])
      expect(await open(`${changesOf(many)}?at=${at}`)).toContain(`id="${at}"`)
  })
  test('a line of a file that is not beside the others leads to the page of the file', async () => {
    for (const path of [changesOf(long), `/${REPO}/compare/main...long`]) {
      const html = await open(`${path}?at=${inLong}`)
      expect([html.includes(`id="${inLong}"`), html.includes('Show all files')]).toEqual([
        true,
        true,
      ])
    }
  })
  test('a line that the change does not have leads to its file, another file to the first part', async () => {
    const of = diffAnchor(pathOf(160))
    expect(await open(`${changesOf(many)}?at=${of}R9999`)).toContain(`id="${of}"`)
    const none = await open(`${changesOf(many)}?at=dnothing`)
    expect(none).toContain(`id="${diffAnchor(pathOf(0))}"`)
  })
  test('from the timeline, from the tree and from the list of all files', async () => {
    await forge.call(addComment, ada, {
      repo: REPO,
      number: many,
      path: pathOf(250),
      line: 13,
      body: 'A word on this',
    })
    const { html } = await reviewer.open(`/${REPO}/pull/${many}`)
    const href = `${changesOf(many)}?at=${id}#${id}`
    expect(html).toContain(`href="${href}"`)
    const part = await open(href)
    expect([part.includes('A word on this'), part.includes(`id="${id}"`)]).toEqual([true, true])
    // The tree of the part names its files; the others are in the list.
    const tree = [...part.matchAll(/<li class="is-[^>]*><a href="([^"]+)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    )
    for (const link of tree.filter((_, at) => at % 20 === 0)) {
      const anchor = link.split('#')[1] ?? ''
      const shown = link.startsWith('#') ? part : await open(`${changesOf(many)}${link}`)
      expect(filesOf(shown)).toContain(anchor)
    }
    const list = /<a href="([^"]+)" rel="nofollow" data-part="diff-files"/.exec(part)?.[1]
    const listed = (await reviewer.open(list?.replaceAll('&amp;', '&') ?? '')).html
    const last = diffAnchor(pathOf(299))
    const link = new RegExp(`href="([^"]+#${last})"`).exec(listed)?.[1]?.replaceAll('&amp;', '&')
    expect(filesOf(await open(link ?? ''))).toContain(last)
  })
})

test('conversations and pending comments count', async () => {
  for (let at = 0; at < 24; at++) {
    const body = `${'A **word** & `code` on this. '.repeat(20)}\n\n- one\n- two\n`
    const input = { repo: REPO, number: long, path: 'src/long.ts', line: 10 + at, body }
    await (at % 3 === 0
      ? forge.call(addDraftComment, ada, input)
      : forge.call(addComment, ada, input))
  }
  const [{ comments } = { comments: [] }] = await forge.call(listReviewThreads, ada, {
    repo: REPO,
    number: long,
  })
  for (let at = 0; at < 30; at++)
    await forge.call(addComment, ada, {
      repo: REPO,
      number: long,
      in_reply_to: comments[0]?.id ?? '',
      body: `Reply ${at}`,
    })
  const html = await open(`${changesOf(long)}?${LONG}`)
  expect([
    html.includes('<strong>word</strong>'),
    html.includes('>23 more comments</a>'),
    html.includes('Reply 22<'),
    html.includes('Reply 23<'),
  ]).toEqual([true, true, false, true])
})

test('expanded lines count, and are shown in the part with them', async () => {
  const of = diffAnchor(pathOf(5))
  const html = await open(`${changesOf(many)}?at=${of}`)
  const more = /<a class="below" href="([^"]+)"/
    .exec(html.slice(html.indexOf(`id="${of}"`)))?.[1]
    ?.replaceAll('&amp;', '&')
  const expanded = await open(`${changesOf(many)}${more}`)
  expect([html.includes(`id="${of}R20"`), expanded.includes(`id="${of}R20"`)]).toEqual([
    false,
    true,
  ])
})

describe('a review over several parts', () => {
  let third = ''
  beforeAll(async () => {
    third = linkOf(await open(linkOf(await open(changesOf(many)), 'next')), 'next')
  })

  test('without a script', async () => {
    const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled: false })
    await page.goto(third)
    const file = page.locator('.diff-file').nth(1)
    const id = (await file.getAttribute('id')) ?? ''
    await file.locator('a[href*="on=d"][href$="R13"]').click({ force: true })
    const area = page.locator('.line-form textarea[name=body]')
    await area.fill('')
    // A refused form stays on its part.
    await page.locator('.line-form textarea').evaluate((field) => field.removeAttribute('required'))
    await page.getByText('Add to review').click()
    expect(await page.locator(`#${id}R13`).count()).toBe(1)
    expect(await page.locator('.line-form [aria-invalid]').count()).toBe(1)
    await page.locator('.line-form textarea[name=body]').fill('Written without a script')
    await page.getByText('Add to review').click()
    await page.waitForSelector('.review-draft')
    expect(await page.locator(`#${id}R13`).count()).toBe(1)
    // The viewed mark leads back to the file.
    await page.locator(`#${id} .diff-tools button`).click()
    expect(new URL(page.url()).hash).toBe(`#${id}`)
    expect(await page.locator(`#${id}[open]`).count()).toBe(0)
    expect(await page.textContent('[data-viewed-count]')).toBe('1 of 300 viewed')
    await page.click('.review-menu > summary')
    await page.getByText('Submit review').click()
    await page
      .getByRole('link', { name: /module-.*:13$/ })
      .last()
      .click()
    // The page that the link leads to may still arrive.
    await page.waitForSelector(`#${id}R13`)
    expect(problems).toEqual([])
  }, 60_000)

  test('with a script: parts are added, forms and marks work in them', async () => {
    const { page, problems } = await browserPage(forge, 'ada')
    await forge.call(markFileViewed, ada, {
      repo: REPO,
      number: many,
      path: pathOf(70),
      viewed: true,
    })
    await page.goto(changesOf(many))
    const count = () => page.locator('.diff-file').count()
    const first = await count()
    const next = async () => {
      const before = await count()
      await page.locator('#more-files a').scrollIntoViewIfNeeded()
      await page.waitForFunction(
        (at) => document.querySelectorAll('.diff-file').length > at,
        before,
      )
    }
    while ((await count()) < 3 * first) await next()
    const ids = await page.$$eval('[id]', (all) => all.map(({ id }) => id))
    expect(ids.length).toBe(new Set(ids).size)
    const file = page.locator('.diff-file').nth(2 * first + 3)
    await file.locator('a[href*="on=d"][href$="R13"]').click()
    await file.locator('.line-form textarea').fill('In a part that was added')
    await file.getByText('Comment now').click()
    await file.locator('.review-thread .md:has-text("In a part that was added")').waitFor()
    const shown = await count()
    const viewed = Number(/\d+/.exec((await page.textContent('[data-viewed-count]')) ?? '')?.[0])
    await file.locator('.diff-tools button').click()
    await file.locator('.diff-tools button:has-text("Viewed")').waitFor({ state: 'attached' })
    await page.waitForFunction(
      (at) => document.querySelector('[data-viewed-count]')?.textContent?.startsWith(`${at} `),
      viewed + 1,
    )
    expect(await count()).toBeGreaterThanOrEqual(shown)
    expect(problems).toEqual([])
  }, 60_000)

  test('the address of a line that the page lacks loads its part', async () => {
    const { page } = await browserPage(forge, 'ada')
    const id = `${diffAnchor(pathOf(250))}R13`
    await page.goto(`${changesOf(many)}#${id}`)
    await page.waitForSelector(`[id="${id}"]`)
    expect(page.url()).toEndWith(`${changesOf(many)}?at=${id}#${id}`)
  }, 60_000)

  test('the lines of a long file are added below each other', async () => {
    const { page, problems } = await browserPage(forge, 'ada')
    await page.goto(changesOf(long))
    await page.getByText('Show this file alone').click()
    await page.getByText('Next lines of this file').click()
    await page.waitForFunction(() => document.querySelectorAll('.diff-file').length === 2)
    await page.locator('[data-rest]').nth(1).click()
    await page.waitForFunction(() => document.querySelectorAll('.diff-file').length === 3)
    const numbers = await page.$$eval('.diff-table td[id*=R]', (all) =>
      all.map(({ textContent }) => Number(textContent)),
    )
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    // A comment in the second part leaves the others as they are.
    const part = page.locator('.diff-file').nth(1)
    await part.locator('a[href*="on=d"]').nth(3).click()
    await part.locator('.line-form textarea').fill('Amid the file')
    await part.getByText('Comment now').click()
    await part.locator('.review-thread .md:has-text("Amid the file")').waitFor()
    const threads = await forge.call(listReviewThreads, ada, { repo: REPO, number: long })
    expect(threads.some(({ comments: [root] }) => root?.body === 'Amid the file')).toBe(true)
    expect(await page.locator('.diff-table td[id*=R]').count()).toBe(numbers.length)
    expect(problems).toEqual([])
  }, 60_000)

  test('j leads to the next part', async () => {
    const { page } = await browserPage(forge, 'ada')
    await page.goto(third)
    await page.locator('.diff-file').first().locator('summary').first().focus()
    await page.keyboard.press('k')
    await page.waitForURL((url) => url.href !== new URL(third, forge.url).href)
    expect(await page.locator('.diff-file').count()).toBeGreaterThan(3)
  }, 60_000)
})
