import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { GUIDE_SOURCES, renderChapter } from '#web/pages/guide.tsx'
import { SETTINGS } from '#core/setting-list.ts'
import { makeWorld } from '../../world.ts'
import { browser, serveSite } from '../visitor.ts'

const docs = join(import.meta.dir, '../../../assets/docs')
const chapters = GUIDE_SOURCES.map(renderChapter)

test('every file of the guide is a page, and every link between them leads to one', () => {
  const files = readdirSync(docs).filter((name) => name.endsWith('.md'))
  expect(GUIDE_SOURCES.map(({ slug }) => `${slug}.md`).sort()).toEqual(files.sort())
  const addresses = new Set(['/docs', ...GUIDE_SOURCES.map(({ slug }) => `/docs/${slug}`)])
  for (const { html } of chapters) {
    for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g)) {
      if (href.startsWith('/')) expect(addresses).toContain(href.replace(/#.*/, ''))
      else expect(href).toMatch(/^(https?:|#)/)
    }
    expect(html).not.toContain('written by scripts')
  }
})

test('the guide holds every setting', () => {
  const html = chapters.find(({ slug }) => slug === 'configure')?.html
  for (const name of ['backups.to', 'tls.certificate', ...Object.keys(SETTINGS)])
    expect(html).toContain(`<code>${name}</code>`)
})

test('cells of wide tables name their column, for phones', () => {
  const wide = '| A | `b` "c" | |\n| --- | --- | --- |\n| 1 | 2 | 3 |'
  const narrow = '| x | y |\n| --- | --- |\n| 4 | 5 |'
  const text = () => `# T\n\n${wide}\n\n${narrow}\n`
  const { html } = renderChapter({ slug: 'x', text })
  expect(html).toContain(
    '<td data-label="A">1</td><td data-label="b &quot;c&quot;">2</td><td data-label="">3</td>',
  )
  expect(html).toContain('<td>4</td><td>5</td>')
})

test('scripts and documents that the guide names exist', () => {
  const root = join(docs, '../..')
  const named = GUIDE_SOURCES.flatMap(({ text }) => [
    ...text().matchAll(
      /`(?:bun )?((?:scripts|src|test|assets|web)\/[\w./-]+\.(?:ts|md|service|socket))/g,
    ),
  ])
  expect(named.length).toBeGreaterThan(5)
  for (const [, path = ''] of named)
    expect([path, existsSync(join(root, path))]).toEqual([path, true])
})

test('each page is served, lists the others and marks itself; the old address leads on', async () => {
  const visitor = browser(serveSite(await makeWorld()))
  const page = await visitor.get('/docs/backup')
  expect(page.status).toBe(200)
  expect(page.text).toContain('<h1>Backup and recovery</h1>')
  expect(page.text).toMatch(/href="\/docs\/backup" aria-current="page"/)
  expect(page.text).toContain('href="/docs/install"')
  const old = await visitor.get('/docs/running')
  expect([old.status, old.location]).toEqual([301, '/docs/operate'])
})

test('a page without a title is a fault that shows at once', () => {
  expect(() => renderChapter({ slug: 'x', text: () => 'no title' })).toThrow(
    'x begins with no title',
  )
})
