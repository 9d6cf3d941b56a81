/** The lists of issues and pull requests: one box, counts of both states, menus that are links. */
import { expect, test } from 'bun:test'
import { closeIssue, createIssue, createMilestone, updateIssue } from '#features/issues/index.ts'
import { createPull, updatePull } from '#features/pulls/index.ts'
import { setCommitStatus } from '#features/statuses/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { countQueries } from '../../../queries.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
const mel = await forge.user('mel')
await forge.workspace('acme', { owner: ada, members: [mel] })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'a.txt': 'a\n' }, { as: ada })
await forge.call(createMilestone, ada, { repo: REPO, title: 'Version 1' })
const issue = async (title: string, more: object = {}) =>
  (await forge.call(createIssue, ada, { repo: REPO, title, ...more })).number
await issue('The door squeaks', { labels: ['bug'], milestone: 'Version 1' })
await issue('The roof leaks', { labels: ['bug', 'docs'], assignees: ['mel'] })
const done = await issue('The old door', { labels: ['bug'] })
await forge.call(closeIssue, ada, { repo: REPO, number: done })

const titles = (html: string): string[] =>
  [...html.matchAll(/class="row-link"[^>]*>([^<]*)</g)].map(([, title = '']) => title)
const counts = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<span>(Open|Closed|Merged)<\/span><span class="count">([\d,]+)</g)].map(
      ([, state = '', count = '']) => [state, count],
    ),
  )
/** The address of a menu's option. */
const option = (html: string, menu: string, text: string): string => {
  const list = new RegExp(`<ul aria-label="${menu}">(.*?)</ul>`, 's').exec(html)?.[1] ?? ''
  const item = [...list.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].find(([, , inside]) =>
    inside?.replace(/<[^>]+>/g, '').includes(text),
  )
  return item?.[1]?.replaceAll('&amp;', '&') ?? `no ${text} in ${menu}`
}

test('a list is narrowed by following links, and counts what both states have', async () => {
  const browser = await forge.browser(null)
  const all = (await browser.open(`/${REPO}/issues`)).html
  expect(titles(all)).toEqual(['The roof leaks', 'The door squeaks'])
  expect(counts(all)).toEqual({ Open: '2', Closed: '1' })
  const bugs = (await browser.open(option(all, 'Label', 'docs'))).html
  expect([titles(bugs), counts(bugs)]).toEqual([['The roof leaks'], { Open: '1' }])
  expect(bugs).toContain('value="is:open label:docs"')
  const off = option(bugs, 'Label', 'docs')
  expect(off).toBe(`/${REPO}/issues?q=is%3Aopen`)
  const milestone = (await browser.open(option(all, 'Milestone', 'Version 1'))).html
  expect(titles(milestone)).toEqual(['The door squeaks'])
  expect(milestone).toContain('value="is:open milestone:&quot;Version 1&quot;"')
  expect(titles((await browser.open(option(all, 'Assignee', 'Nobody assigned'))).html)).toEqual([
    'The door squeaks',
  ])
  expect(titles((await browser.open(option(all, 'Sort', 'Oldest'))).html)).toEqual([
    'The door squeaks',
    'The roof leaks',
  ])
})

test('words and qualifiers work together, and a search without a match has a way out', async () => {
  const browser = await forge.browser('mel')
  const found = (await browser.open(`/${REPO}/issues?q=state:all+label:bug+door`)).html
  expect([titles(found), counts(found)]).toEqual([
    ['The old door', 'The door squeaks'],
    { Open: '1', Closed: '1' },
  ])
  const mine = (await browser.open(`/${REPO}/issues?q=assignee:@me`)).html
  expect(titles(mine)).toEqual(['The roof leaks'])
  const none = (await browser.open(`/${REPO}/issues?q=label:%3Cscript%3E`)).html
  expect(none).toContain('No issues match')
  expect(none).toContain(`href="/${REPO}/issues"><span>Clear filters`)
  expect(none).toContain('value="is:open label:&lt;script&gt;"')
})

test('pull requests show review and checks, and are filtered by them', async () => {
  const pull = async (branch: string) => {
    await forge.commit(REPO, branch, { [`${branch}.txt`]: 'b\n' }, { as: ada })
    const made = await forge.call(createPull, ada, { repo: REPO, title: `Do ${branch}`, branch })
    return made.pull
  }
  const one = await pull('one')
  const two = await pull('two')
  await forge.call(updatePull, ada, { repo: REPO, number: two.number, milestone: 'Version 1' })
  await forge.call(setCommitStatus, ada, {
    repo: REPO,
    sha: one.head?.sha ?? '',
    state: 'failure',
    context: 'ci',
  })
  const browser = await forge.browser('mel')
  const all = (await browser.open(`/${REPO}/pulls`)).html
  expect([titles(all), counts(all)]).toEqual([['Do two', 'Do one'], { Open: '2' }])
  expect(all).toContain('Checks failed')
  expect(titles((await browser.open(option(all, 'Checks', 'Failed'))).html)).toEqual(['Do one'])
  expect(titles((await browser.open(option(all, 'Reviews', 'Approved'))).html)).toEqual([])
  expect(titles((await browser.open(option(all, 'Milestone', 'Version 1'))).html)).toEqual([
    'Do two',
  ])
  expect(titles((await browser.open(`/${REPO}/pulls?q=head:one`)).html)).toEqual(['Do one'])
  expect((await browser.open(`/${REPO}/pulls?state=merged`)).html).toContain(
    'No merged pull requests',
  )
})

test('a longer list asks the database no more often', async () => {
  const browser = await forge.browser('ada')
  const asked = async () => {
    await forge.jobs()
    const visit = () => browser.open(`/${REPO}/issues?q=is:open+label:bug`)
    const { result, queries } = await countQueries(forge.hearth, visit)
    expect(result.status).toBe(200)
    return queries
  }
  await asked()
  const few = await asked()
  for (let at = 0; at < 10; at++) {
    const number = await issue(`Another ${at}`, { labels: ['bug', 'docs'], assignees: ['mel'] })
    await forge.call(updateIssue, ada, { repo: REPO, number, milestone: 'Version 1' })
  }
  expect(await asked()).toBe(few)
})
