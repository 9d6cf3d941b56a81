/** Comparing and single commits, as browsers without a script use their pages. */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const lines = (change: Record<number, string> = {}) =>
  `${Array.from({ length: 200 }, (_, at) => change[at + 1] ?? `line ${at + 1}`).join('\n')}\n`

const forge = await runForge()
const ada = await forge.user('ada')
const bob = await forge.user('bob')
await forge.workspace('acme', { owner: ada, members: [bob] })
await forge.repo(REPO, { as: ada })
const root = await forge.commit(
  REPO,
  'main',
  { 'a.txt': lines(), 'b.txt': 'b\n' },
  { message: 'Begin' },
)
await forge.commit(REPO, 'topic', { 'a.txt': lines(), 'b.txt': 'b\n' }, { message: 'Other root' })
await forge.call((await import('#features/repos/index.ts')).createBranch, ada, {
  repo: REPO,
  branch: 'fix/one',
  from: root,
})
const change = await forge.commit(
  REPO,
  'fix/one',
  { 'a.txt': lines({ 3: 'three', 150: 'one hundred and fifty' }) },
  { message: 'Fix line 3 <b>\n\nBecause it was wrong.' },
)
await forge.commit(REPO, 'main', { 'b.txt': 'B\n' }, { message: 'On main' })
const [owner, visitor] = [await forge.browser('ada'), await forge.browser(null)]
const link = (html: string, words: string) =>
  (new RegExp(`href="([^"]*)"[^>]*title="${words}`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&')

test('a comparison shows commits and changes since the two diverged', async () => {
  const { html, status } = await owner.open(`/${REPO}/compare/main...fix/one`)
  expect(status).toBe(200)
  expect([
    html.includes('1 commit ahead'),
    html.includes('Fix line 3 &lt;b&gt;'),
    html.includes('>a.txt'),
    html.includes('>b.txt'),
  ]).toEqual([true, true, true, false])
  expect(html).toContain(`href="/${REPO}/pulls/new?branch=fix%2Fone&amp;base=main"`)
  expect((await visitor.open(`/${REPO}/compare/main...fix/one`)).html).not.toContain('pulls/new?')
})

test('a direct comparison counts lines of the base only as removed', async () => {
  const { html } = await owner.open(`/${REPO}/compare/main..fix/one`)
  expect([html.includes('b.txt'), html.includes('Compare since they diverged')]).toEqual([
    true,
    true,
  ])
})

test('the form redirects to a comparison, and keeps the typed text when there is none', async () => {
  expect((await visitor.open(`/${REPO}/compare?base=main&head=fix%2Fone`)).location).toBe(
    `/${REPO}/compare/main...fix/one`,
  )
  expect(
    (await visitor.open(`/${REPO}/compare?base=main&head=fix%2Fone&how=direct`)).location,
  ).toBe(`/${REPO}/compare/main..fix/one`)
  expect((await visitor.open(`/${REPO}/compare/fix%2Fone`)).location).toBe(
    `/${REPO}/compare/main...fix/one`,
  )
  const wrong = await visitor.open(`/${REPO}/compare?base=main&head=no%22where`)
  expect([
    wrong.html.includes('value="no&quot;where"'),
    wrong.html.includes('there is no branch'),
  ]).toEqual([true, true])
  expect((await visitor.open(`/${REPO}/compare/main...nowhere`)).status).toBe(404)
  expect((await visitor.open(`/${REPO}/compare/main...main`)).html).toContain(
    'Both are the same commit',
  )
})

test('a pull request of the branch is found, and a fork is compared by its number', async () => {
  const { pull } = await forge.call(createPull, bob, { repo: REPO, title: 'From a fork' })
  await forge.commit(`${REPO}/pull/${pull.number}`, 'main', { 'c.txt': 'c\n' }, { as: bob })
  const { html } = await visitor.open(`/${REPO}/compare/main...pull/${pull.number}:main`)
  expect([html.includes('c.txt'), html.includes(`href="/${REPO}/pull/${pull.number}"`)]).toEqual([
    true,
    true,
  ])
})

test('unchanged lines expand without a script until hunks meet', async () => {
  const here = `/${REPO}/compare/main...fix/one`
  const first = await visitor.open(here)
  expect(first.html.match(/<tr class="hunk">/g)).toHaveLength(3)
  const down = link(first.html, 'Show lines 7 to 26')
  const more = await visitor.open(`${here}${down}`)
  expect([more.html.includes('>line 26<'), more.html.includes('>line 27<')]).toEqual([true, false])
  const all = await visitor.open(`${here}?expand=7-146:a.txt`)
  expect([all.html.includes('>line 100<'), all.html.match(/<tr class="hunk">/g)?.length]).toEqual([
    true,
    2,
  ])
  const end = await visitor.open(`${here}?expand=154-300:a.txt`)
  expect([
    end.html.includes('>line 200<'),
    end.html.includes('>line 201<'),
    end.html.match(/<tr class="hunk">/g)?.length,
  ]).toEqual([true, false, 2])
  expect(
    (await visitor.open(`${here}?expand=zzz&expand=1-9:../../etc&expand=900-901:a.txt`)).status,
  ).toBe(200)
})

test('a commit has links to its parents and its text for git', async () => {
  const { html } = await visitor.open(`/${REPO}/commit/${change}`)
  expect(html).toContain(`href="/${REPO}/commit/${root}"`)
  expect(html).toContain(`href="/${REPO}/tree/fix/one"`)
  expect(html).not.toContain(`href="/${REPO}/tree/main"><svg`)
  const patch = await visitor.open(`/${REPO}/commit/${change}.patch`)
  expect([
    patch.headers.get('content-type'),
    patch.html.includes('Subject: [PATCH] Fix line 3 <b>'),
    patch.html.includes('+three'),
  ]).toEqual(['text/plain; charset=utf-8', true, true])
  expect(
    (await visitor.open(`/${REPO}/commit/${change}.diff`)).html.startsWith(
      'diff --git a/a.txt b/a.txt',
    ),
  ).toBe(true)
  expect((await visitor.open(`/${REPO}/compare/main...fix/one.diff`)).html).toContain('+three')
  expect((await visitor.open(`/${REPO}/commit/${'0'.repeat(40)}.diff`)).status).toBe(404)
})

test('the choices of a reader stay in the address', async () => {
  const { html } = await visitor.open(`/${REPO}/commit/${change}?view=split&w=ignore`)
  expect([
    html.includes('diff-split'),
    html.includes('Show white space'),
    html.includes('One column'),
  ]).toEqual([true, true, true])
  expect(html).toContain(`href="/${REPO}/commit/${change}?w=ignore"`)
})

test('the history of a file links to its former name', async () => {
  const text = Array.from({ length: 20 }, (_, at) => `row ${at}\n`).join('')
  const made = await forge.commit(REPO, 'moves', { 'old.txt': text }, { message: 'Make it' })
  await forge.commit(
    REPO,
    'moves',
    { 'old.txt': null, 'sub/new.txt': text },
    { message: 'Move it' },
  )
  const { html } = await visitor.open(`/${REPO}/commits/moves/sub/new.txt`)
  expect([html.includes('Move it'), html.includes('Make it')]).toEqual([true, false])
  expect(html).toContain(`href="/${REPO}/commits/${made}/old.txt"`)
  expect((await visitor.open(`/${REPO}/commits/${made}/old.txt`)).html).toContain('Make it')
})

test('branches are found by name', async () => {
  const found = await owner.open(`/${REPO}/branches?q=fix`)
  expect([found.html.includes('fix/one'), found.html.includes('>topic</a>')]).toEqual([true, false])
  expect((await owner.open(`/${REPO}/branches?q=zzz`)).html).toContain('No branch has zzz')
})

test('the owners of code, and of one path', async () => {
  expect((await visitor.open(`/${REPO}/code-owners`)).html).toContain('No code owners yet')
  await forge.commit(REPO, 'main', { CODEOWNERS: '* @ada\n*.sql @acme/data mail@example.com\n' })
  const { html } = await visitor.open(`/${REPO}/code-owners?path=db/one.sql`)
  expect([
    html.includes('href="/acme/-/teams/data"'),
    html.includes('mail@example.com'),
    html.includes('is owned by'),
  ]).toEqual([true, true, true])
})
