/** The conflict editor: a choice for every conflict, then one merge commit by the visitor. */
import { expect, test } from 'bun:test'
import { createPull, getPull, markPullReady } from '#features/pulls/index.ts'
import { createBranch, getFile, listCommits } from '#features/repos/index.ts'
import { fieldNames, resolutionOf } from '#web/pages/pulls/conflict-text.ts'
import { Fields } from '#web/site.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage, findFaults } from './browser-page.ts'

const REPO = 'acme/site'
const lines = (change: Record<number, string> = {}) =>
  `${Array.from({ length: 40 }, (_, at) => change[at + 1] ?? `line ${at + 1}`).join('\n')}\n`

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.user('eve')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': lines(), 'gone.txt': 'here\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(
    REPO,
    'fix',
    {
      'a.txt': lines({ 3: '<b>three</b>', 13: 'thirteen', 23: '\ntwenty-three', 33: 'x' }),
      'gone.txt': 'changed\n',
    },
    { as: bob },
  )
  const { pull } = await forge.call(createPull, bob, { repo: REPO, branch: 'fix', title: 'Fix' })
  await forge.call(markPullReady, bob, { repo: REPO, number: pull.number, summary: 'Done' })
  await forge.commit(REPO, 'main', {
    'a.txt': lines({ 3: 'THREE', 13: 'THIRTEEN', 23: 'TWENTY-THREE', 33: 'X', 40: 'forty' }),
    'gone.txt': null,
  })
  const here = `/${REPO}/pull/${pull.number}`
  const detail = () => forge.call(getPull, ada, { repo: REPO, number: pull.number })
  const content = async () =>
    (await forge.call(getFile, ada, { repo: REPO, ref: 'fix', path: 'a.txt' })).content
  return { forge, ada, bob, here, detail, content }
}

for (const javaScriptEnabled of [true, false]) {
  test(`every conflict is settled and committed ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const { forge, ada, here, detail, content } = await setUp()
    const { page, problems } = await browserPage(forge, 'bob', { javaScriptEnabled })
    await page.goto(here)
    await page.click('text=Resolve conflicts')
    expect(await page.locator('fieldset.conflict').count()).toBe(4)
    expect(await page.locator('.conflict-side').first().textContent()).toContain('<b>three</b>')
    // Without a choice for every conflict the browser itself does not send the form.
    await page.click('text=Commit merge')
    expect(new URL(page.url()).pathname).toBe(`${here}/conflicts`)
    expect(await page.locator('.notice-bad').count()).toBe(0)

    const conflict = (at: number) => page.locator('fieldset.conflict').nth(at)
    await conflict(0).getByLabel('Use fix').check()
    await conflict(1).getByLabel('Use main').check()
    await conflict(2).getByLabel('Use both').check()
    const area = conflict(3).locator('textarea')
    expect(await area.isVisible()).toBe(false)
    await conflict(3).getByLabel('Edit by hand').check()
    expect(await area.inputValue()).toBe('x\nX')
    if (javaScriptEnabled) expect(await findFaults(page)).toEqual([])
    await area.fill('by\nhand')
    await page.getByLabel('Use the file of fix').check()
    await page.click('text=Commit merge')
    await page.waitForURL((url) => url.pathname === here)
    expect(await page.textContent('main')).toContain('Conflicts resolved.')
    expect(await content()).toBe(
      lines({
        3: '<b>three</b>',
        13: 'THIRTEEN',
        23: '\ntwenty-three\nTWENTY-THREE',
        33: 'by\nhand',
        40: 'forty',
      }),
    )
    const { behind, head } = await detail()
    expect([behind.by, behind.conflict_paths]).toEqual([0, []])
    const { items } = await forge.call(listCommits, ada, { repo: REPO, ref: 'fix', per_page: 1 })
    expect(items[0]).toMatchObject({
      sha: head?.sha,
      title: 'Merge main into fix',
      author: { actor: { username: 'bob' } },
    })
    await page.goto(`${here}/conflicts`)
    expect(await page.textContent('main')).toContain('No conflicts')
    expect(problems).toEqual([])
  }, 120_000)
}

test('a refused form keeps the choices, and a moved base is not merged unseen', async () => {
  const { forge, here, detail } = await setUp()
  const author = await forge.browser('bob')
  const { html } = await author.open(`${here}/conflicts`)
  const head = (await detail()).head?.sha ?? ''
  const [, name = ''] = /name="take-([^"]+)" value="both"/.exec(html) ?? []
  const some = await author.press(html, `${here}/conflicts`, { [`take-${name}`]: 'both' })
  expect([some.status, some.html.includes('Choose a version for every conflict.')]).toEqual([
    422,
    true,
  ])
  expect(some.html).toMatch(new RegExp(`name="take-${name}" value="both"[^>]* checked`))

  const all: Record<string, string> = {}
  for (const [, field = ''] of html.matchAll(/name="(take-[^"]+)"/g)) all[field] = 'head'
  await forge.commit(REPO, 'main', { 'b.txt': 'b\n' })
  const moved = await author.press(html, `${here}/conflicts`, all)
  expect([moved.status, moved.html.includes('main has moved')]).toEqual([422, true])
  expect((await detail()).head?.sha).toBe(head)
  // The page that was shown instead has the commits of now and the same choices.
  expect((await author.press(moved.html, `${here}/conflicts`, all)).status).toBe(303)
})

test('who may not push sees the conflicts, and no form', async () => {
  const { forge, here } = await setUp()
  const visitor = await forge.browser('eve')
  const { html, status } = await visitor.open(`${here}/conflicts`)
  expect([status, html.includes('Only people who may push to fix')]).toEqual([200, true])
  expect(html).not.toContain('Commit merge')
  expect(html).toContain('git merge FETCH_HEAD')
  expect((await visitor.open(here)).html).toContain('Show conflicts')
})

test('typed lines take the line ends of the file, and its missing last one', () => {
  const file = (head: string, base: string) => ({
    path: 'a.txt',
    resolvable: true,
    in_ancestor: true,
    in_head: true,
    in_base: true,
    parts: [
      { merged: 'first\n', conflict: null },
      { merged: null, conflict: { ancestor: '', head, base } },
    ],
  })
  const typed = (one: ReturnType<typeof file>, text: string) => {
    const [name = ''] = fieldNames(one).conflicts
    return resolutionOf(
      one,
      new Fields(
        new Map([
          [`take-${name}`, ['hand']],
          [`text-${name}`, [text]],
        ]),
      ),
    )?.content
  }
  expect(typed(file('a\r\n', 'b\r\n'), 'x\ny')).toBe('first\nx\r\ny\r\n')
  expect(typed(file('a\n', 'b\n'), 'x\ny')).toBe('first\nx\ny\n')
  expect(typed(file('a', 'b'), 'x\ny')).toBe('first\nx\ny')
  expect(typed(file('a\n', 'b\n'), '')).toBe('first\n')
})

test('the message of the commit is proposed, edited and kept by the merge', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(REPO, 'fix', { 'a.txt': 'b\n' })
  const { pull } = await forge.call(createPull, ada, { repo: REPO, branch: 'fix', title: 'Fix' })
  await forge.call(markPullReady, ada, { repo: REPO, number: pull.number, summary: 'It is done.' })
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(`/${REPO}/pull/${pull.number}`)
  await page.click('summary:has-text("Edit the commit message")')
  expect(await page.inputValue('[name=message-merge]')).toBe('Merge #1: Fix\n\nIt is done.')
  await page.fill('[name=message-merge]', 'Land the fix\n\nBecause it is time.')
  await page.click('form[action$="/merge"] button:has-text("Merge")')
  // The form merges in place, so the press does not wait for the answer.
  await page.locator('main .badge:has-text("Merged")').first().waitFor()
  const { items } = await forge.call(listCommits, ada, { repo: REPO, ref: 'main', per_page: 1 })
  expect(items[0]?.message).toStartWith('Land the fix\n\nBecause it is time.\n')
  expect(items[0]?.message).toContain('Pull-Request: acme/site#1')
  expect(problems).toEqual([])
}, 120_000)
