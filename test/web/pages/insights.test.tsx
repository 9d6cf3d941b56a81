/** Activity and insights of a repository. */
import { expect, test } from 'bun:test'
import { createCommit, createTag } from '#features/repos/index.ts'
import { createIssue } from '#features/issues/index.ts'
import { runForge } from '../../features/oauth/running.ts'
import { periodsOf, scaleOf } from '#web/pages/repos/charts.ts'

const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  return { forge, ada, browser: await forge.browser(null) }
}

test('an empty repository says what appears here; a history has charts with their numbers', async () => {
  const { forge, ada, browser } = await setUp()
  const empty = await browser.open(`/${REPO}/insights`)
  expect(empty.html).toContain('No commits yet')
  expect(empty.html).not.toContain('<svg class="chart')
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Begin',
    files: [
      { path: 'a.ts', action: 'put', content: 'a\nb\nc\n' },
      { path: 'b.py', action: 'put', content: 'x\n' },
    ],
  })
  const { html } = await browser.open(`/${REPO}/insights`)
  expect(html).not.toContain('The history is being counted')
  expect(html.replace(/\s+/g, ' ')).toMatch(/TypeScript<\/span> <span class="muted nums">75%/)
  expect(html).toContain('1 commit, at most 1')
  expect(html).toContain('4 added lines')
  expect(html).toMatch(/<td class="nums">1<\/td><td class="nums">4<\/td><td class="nums">0<\/td>/)
  expect(html).toMatch(/class="contributor".*href="\/ada"/s)
})

test('tags of one push are one line, and events have the titles of what they are about', async () => {
  const { forge, ada, browser } = await setUp()
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Light the oven\n\nbody',
    files: [{ path: 'a.ts', action: 'put', content: 'a\n' }],
  })
  for (const name of ['v1', 'v2', 'v3', 'v4', 'v5', 'v6'])
    await forge.call(createTag, ada, { repo: REPO, tag: name, target: 'main' })
  await forge.call(createIssue, ada, { repo: REPO, title: 'Too <hot>' })
  const { html } = await browser.open(`/${REPO}/activity`)
  expect(html).toContain('ada created 6 tags: v6, v5, v4, v3, v2 and 1 more')
  expect(html).not.toContain('the tag v1')
  expect(html).toContain('Light the oven</span>')
  expect(html).toContain('Too &lt;hot&gt;</span>')
})

test('a long history is shown by coarser periods, without gaps', () => {
  const week = (day: string, commits: number) => ({
    week: day,
    commits,
    additions: commits,
    deletions: 0,
  })
  const short = [week('2026-01-05', 2), week('2026-01-26', 1)]
  expect(periodsOf(scaleOf(short), short).map(({ label, commits }) => [label, commits])).toEqual([
    ['2026-01-05', 2],
    ['2026-01-12', 0],
    ['2026-01-19', 0],
    ['2026-01-26', 1],
  ])
  const long = [week('1970-01-05', 1), week('1970-03-02', 1), week('2026-01-26', 1)]
  const years = periodsOf(scaleOf(long), long)
  expect([years.length, years[0]]).toEqual([
    57,
    { label: '1970', commits: 2, additions: 2, deletions: 0 },
  ])
  expect(scaleOf([]).labels).toEqual([])
})
