/** Labels, milestones and the side panel of an issue, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import {
  createIssue,
  createMilestone,
  getIssue,
  listLabels,
  listMilestones,
} from '#features/issues/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.user('bob')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  const { number } = await forge.call(createIssue, ada, {
    repo: REPO,
    title: 'It is broken',
    labels: ['bug'],
  })
  return {
    forge,
    ada,
    number,
    here: `/${REPO}/issues/${number}`,
    browser: await forge.browser('ada'),
    other: await forge.browser('bob'),
  }
}

test('the triage role creates, changes and deletes labels', async () => {
  const { forge, ada, browser, other } = await setUp()
  const page = await browser.open(`/${REPO}/labels`)
  expect(page.html).toContain('1 open issue')
  expect((await other.open(`/${REPO}/labels`)).html).not.toContain('New label')
  await browser.press(page.html, `/${REPO}/labels`, {
    name: 'urgent',
    color: 'ff0000',
    description: 'Now',
  })
  const bad = await browser.press(page.html, `/${REPO}/labels`, { name: 'a,b' })
  expect([bad.status, bad.html.includes('comma'), bad.html.includes('value="a,b"')]).toEqual([
    422,
    true,
    true,
  ])
  const labels = async () => (await forge.call(listLabels, ada, { repo: REPO })).items
  expect(await labels()).toContainEqual(
    expect.objectContaining({ name: 'urgent', color: 'ff0000', description: 'Now' }),
  )
  const formOfRow = async () => {
    const { html } = await browser.open(`/${REPO}/labels`)
    const href = /href="([^"]+edit=[^"#]+)/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    return (await browser.open(href)).html
  }
  await browser.press(await formOfRow(), `/${REPO}/labels/edit`, {
    label: 'urgent',
    name: 'later',
    color: 'ff0000',
    description: '',
  })
  expect(await labels()).toContainEqual(
    expect.objectContaining({ name: 'later', description: null }),
  )
  await browser.press(await formOfRow(), `/${REPO}/labels/delete`, { label: 'later' })
  expect((await labels()).map(({ name }) => name)).not.toContain('later')
})

test('milestones are created, closed and deleted, and show their progress', async () => {
  const { forge, ada, browser, number, here } = await setUp()
  const page = await browser.open(`/${REPO}/milestones`)
  await browser.press(page.html, `/${REPO}/milestones`, {
    title: 'First',
    description: '',
    due_on: '2027-01-31',
  })
  const [made] = (await forge.call(listMilestones, ada, { repo: REPO })).items
  expect(made).toMatchObject({
    title: 'First',
    description: null,
    due_on: '2027-01-31T23:59:59.000Z',
  })
  await browser.press((await browser.open(here)).html, `${here}/milestone`, {
    milestone: made?.id ?? '',
  })
  expect((await forge.call(getIssue, ada, { repo: REPO, number })).issue.milestone?.title).toBe(
    'First',
  )
  const listed = await browser.open(`/${REPO}/milestones`)
  expect(listed.html).toContain('0 of 1 done')
  expect((await browser.open(`/${REPO}/issues?milestone=${made?.id}`)).html).toContain(
    'It is broken',
  )
  expect(listed.html).toContain(`?edit=${made?.id}#${made?.id}">Edit First<`)
  const edit = await browser.open(`/${REPO}/milestones?edit=${made?.id}`)
  await browser.press(edit.html, `/${REPO}/milestones/edit`, {
    id: made?.id ?? '',
    title: 'First',
    description: '',
    due_on: '',
    state: 'closed',
  })
  const closed = await browser.open(`/${REPO}/milestones?state=closed`)
  expect(closed.html).toContain('First')
  const again = await browser.open(`/${REPO}/milestones?state=closed&edit=${made?.id}`)
  await browser.press(again.html, `/${REPO}/milestones/delete`, { id: made?.id ?? '' })
  expect((await forge.call(listMilestones, ada, { repo: REPO, state: 'all' })).items).toEqual([])
})

test('the side panel changes labels, assignees and blocking issues', async () => {
  const { forge, ada, browser, other, number, here } = await setUp()
  const second = (await forge.call(createIssue, ada, { repo: REPO, title: 'First this' })).number
  await forge.call(createMilestone, ada, { repo: REPO, title: 'Some day' })
  expect((await other.open(here)).html).not.toContain(`action="${here}/labels"`)
  const page = await browser.open(here)
  await browser.press(page.html, `${here}/labels`, { labels: 'docs, new one' })
  await browser.press(page.html, `${here}/assignees`, { assignees: '@ada' })
  await browser.press(page.html, `${here}/blocked-by`, { blocked_by: `#${second}` })
  expect((await forge.call(getIssue, ada, { repo: REPO, number })).issue).toMatchObject({
    labels: ['docs', 'new one'],
    assignees: [{ username: 'ada' }],
    blocked_by: [second],
  })
  const refused = await browser.press(page.html, `${here}/assignees`, { assignees: 'nobody' })
  expect([refused.status, refused.html.includes('value="nobody"')]).toEqual([422, true])
  expect((await browser.press(page.html, `${here}/blocked-by`, { blocked_by: 'x' })).status).toBe(
    422,
  )
})
