/** The pickers in the side panels, as a browser without a script sends them. */
import { expect, test } from 'bun:test'
import { createIssue, createMilestone, getIssue } from '#features/issues/index.ts'
import { createPull, getPull } from '#features/pulls/index.ts'
import { createTeam } from '#features/teams/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
const mel = await forge.user('mel')
await forge.user('otto')
await forge.workspace('acme', { owner: ada, members: [mel] })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'a.txt': 'a\n' }, { as: ada })
await forge.commit(REPO, 'topic', { 'b.txt': 'b\n' }, { as: ada })
await forge.call(createTeam, ada, { workspace: 'acme', slug: 'masons', name: 'Masons' })
const spring = await forge.call(createMilestone, ada, { repo: REPO, title: 'Spring' })
const { number } = await forge.call(createIssue, ada, {
  repo: REPO,
  title: 'It leaks',
  labels: ['bug'],
})
const { pull } = await forge.call(createPull, ada, {
  repo: REPO,
  title: 'Mend it',
  branch: 'topic',
})
const at = `/${REPO}/issues/${number}`
const pullAt = `/${REPO}/pull/${pull.number}`
const issue = async () => (await forge.call(getIssue, ada, { repo: REPO, number })).issue
const options = (html: string, label: string): string[] => {
  const list = new RegExp(`<ul aria-label="${label}">(.*?)</ul>`, 's').exec(html)?.[1] ?? ''
  return [...list.matchAll(/<input [^>]*value="([^"]*)"[^>]*?( checked)?[ >]/g)].map(
    ([tag, value = '']) => `${value}${tag.includes(' checked') ? ' *' : ''}`,
  )
}

test('labels are chosen from those of the repository, and new ones are typed beside them', async () => {
  const browser = await forge.browser('ada')
  const { html } = await browser.open(at)
  expect(options(html, 'Labels')).toContain('bug *')
  expect(options(html, 'Labels')).toContain('docs')
  await browser.press(html, `${at}/labels`, { labels: ['', 'docs', 'roof, cellar'] })
  expect((await issue()).labels).toEqual(['cellar', 'docs', 'roof'])
  await browser.press((await browser.open(at)).html, `${at}/labels`, { labels: [''] })
  expect((await issue()).labels).toEqual([])
})

test('assignees and the milestone are chosen, and taken away again', async () => {
  const browser = await forge.browser('ada')
  const { html } = await browser.open(at)
  expect(options(html, 'Assignees')).toEqual(['ada', 'mel'])
  await browser.press(html, `${at}/assignees`, { assignees: ['', 'mel'] })
  await browser.press(html, `${at}/milestone`, { milestone: spring.id })
  expect(await issue()).toMatchObject({
    assignees: [{ username: 'mel' }],
    milestone: { title: 'Spring' },
  })
  const { html: changed } = await browser.open(at)
  expect(options(changed, 'Assignees')).toEqual(['ada', 'mel *'])
  expect(options(changed, 'Milestone')).toEqual(['', 'Spring *'])
  await browser.press(changed, `${at}/milestone`, { milestone: '' })
  expect((await issue()).milestone).toBeNull()
})

test('who may choose takes an issue without assignees by one press', async () => {
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'Free' })
  const free = `/${REPO}/issues/${number}`
  const browser = await forge.browser('mel')
  const { html } = await browser.open(free)
  expect(html).toContain('Assign yourself')
  expect((await (await forge.browser('otto')).open(free)).html).not.toContain('Assign yourself')
  const taken = html.slice(html.indexOf('value="mel"', html.indexOf('No assignees')) - 400)
  await browser.press(taken, `${free}/assignees`, {})
  const { issue } = await forge.call(getIssue, ada, { repo: REPO, number })
  expect(issue.assignees).toMatchObject([{ username: 'mel' }])
  expect((await browser.open(free)).html).not.toContain('Assign yourself')
})

test('the edit pages have the same pickers, and keep what is not among the options', async () => {
  const old = await forge.call(createMilestone, ada, { repo: REPO, title: 'Winter' })
  const { number } = await forge.call(createIssue, ada, {
    repo: REPO,
    title: 'Old',
    labels: ['bug', 'rare'],
    assignees: ['mel'],
    milestone: old.id,
  })
  const edit = `/${REPO}/issues/${number}/edit`
  const browser = await forge.browser('ada')
  const { html } = await browser.open(edit)
  expect(options(html, 'Labels')).toContain('bug *')
  expect(options(html, 'Assignees')).toContain('mel *')
  expect(options(html, 'Milestone')).toContain('Winter *')
  // Nothing is changed by saving the page as it is.
  await browser.press(html, edit, {})
  const saved = await forge.call(getIssue, ada, { repo: REPO, number })
  expect(saved.issue).toMatchObject({
    labels: ['bug', 'rare'],
    assignees: [{ username: 'mel' }],
    milestone: { title: 'Winter' },
  })
  await browser.press(html, edit, { labels: ['', 'docs'], assignees: [''], milestone: '' })
  expect((await forge.call(getIssue, ada, { repo: REPO, number })).issue).toMatchObject({
    labels: ['docs'],
    assignees: [],
    milestone: null,
  })
  const pullEdit = await browser.open(`${pullAt}/edit`)
  expect(options(pullEdit.html, 'Milestone')).toContain(' *')
  await browser.press(pullEdit.html, `${pullAt}/edit`, { labels: ['', 'bug'] })
  expect((await forge.call(getPull, ada, { repo: REPO, number: pull.number })).pull.labels).toEqual(
    ['bug'],
  )
})

test('a refused choice opens its picker again, with the reason', async () => {
  const browser = await forge.browser('ada')
  const { html } = await browser.open(at)
  const refused = await browser.press(html, `${at}/assignees`, { assignees: ['', 'nobody'] })
  expect(refused.status).toBe(422)
  expect(refused.html).toMatch(
    /<details class="menu picker"[^>]* open[^>]*><summary[^>]*>Change<span class="unseen">: Assignees/,
  )
  expect(refused.html).toContain('class="field-error"')
})

test('reviewers are people and teams, never the author, and none twice', async () => {
  const browser = await forge.browser('ada')
  const { html } = await browser.open(pullAt)
  expect(options(html, 'Reviewers')).toEqual(['mel', 'acme/masons'])
  await browser.press(html, `${pullAt}/reviewers`, { reviewers: ['', 'mel'] })
  const { pull: asked } = await forge.call(getPull, ada, { repo: REPO, number: pull.number })
  expect(asked.requested_reviewers.users).toMatchObject([{ username: 'mel' }])
  const after = await browser.open(pullAt)
  expect(options(after.html, 'Reviewers')).toEqual(['acme/masons'])
  await browser.press(after.html, `${pullAt}/milestone`, { milestone: spring.id })
  expect(
    (await forge.call(getPull, ada, { repo: REPO, number: pull.number })).pull.milestone,
  ).toMatchObject({ title: 'Spring' })
})

test('who may not choose sees no picker', async () => {
  for (const name of ['otto', null]) {
    const browser = await forge.browser(name)
    for (const address of [at, pullAt])
      expect((await browser.open(address)).html).not.toContain('class="menu picker"')
  }
})
