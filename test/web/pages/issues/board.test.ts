/** The board of issues, by forms as a keyboard reaches them. */
import { expect, test } from 'bun:test'
import { createIssue, createMilestone, getIssue } from '#features/issues/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const { number } = await forge.call(createIssue, ada, {
  repo: REPO,
  title: 'It <squeaks>',
  labels: ['bug', 'docs'],
})
const milestone = await forge.call(createMilestone, ada, { repo: REPO, title: 'First' })
const issue = async () => (await forge.call(getIssue, ada, { repo: REPO, number })).issue

test('a card moves to another milestone or label, with the triage role only', async () => {
  const browser = await forge.browser('ada')
  const at = `/${REPO}/issues/board`
  const page = await browser.open(at)
  expect([
    page.status,
    page.html.includes('It &lt;squeaks&gt;'),
    /No milestone<\/h2>|No milestone <span/.test(page.html),
  ]).toEqual([200, true, true])
  expect(await browser.press(page.html, at, { to: milestone.id })).toMatchObject({
    status: 303,
    location: at,
  })
  expect((await issue()).milestone?.title).toBe('First')
  const byLabel = await browser.open(`${at}?by=label`)
  const moved = await browser.press(byLabel.html.replaceAll('&amp;', '&'), `${at}?by=label`, {
    number: String(number),
    from: 'bug',
    to: 'question',
  })
  expect([moved.status, [...(await issue()).labels].sort()]).toEqual([303, ['docs', 'question']])
  const visitor = await forge.browser(null)
  const seen = await visitor.open(at)
  expect([seen.status, seen.html.includes('board-move'), seen.html.includes('draggable')]).toEqual([
    200,
    false,
    false,
  ])
})
