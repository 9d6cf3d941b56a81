/** The board of issues, by forms as a keyboard reaches them. */
import { expect, test } from 'bun:test'
import { createIssue, createLabel, createMilestone, getIssue } from '#features/issues/index.ts'
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

test('a large board has the form of one card, and less than 100 KB', async () => {
  for (let at = 0; at < 12; at++)
    await forge.call(createMilestone, ada, {
      repo: REPO,
      title: `A milestone of usual length ${at}`,
    })
  for (let at = 0; at < 79; at++)
    await forge.call(createIssue, ada, {
      repo: REPO,
      title: `A title of usual length with a number of words, ${at}`,
      labels: ['bug'],
      assignees: ['ada'],
    })
  const browser = await forge.browser('ada')
  const at = `/${REPO}/issues/board`
  const { html } = await browser.open(at)
  expect(html.split('class="board-card"').length - 1).toBe(80)
  expect(Buffer.byteLength(html)).toBeLessThan(100_000)
  expect(html).not.toContain('<select')
  const link = new RegExp(`href="([^"]+)"[^>]*aria-label="Move #${number}"`).exec(html)?.[1] ?? ''
  const moving = await browser.open(link.replaceAll('&amp;', '&').split('#')[0] ?? '')
  expect(moving.html.split('class="board-move"').length - 1).toBe(1)
  const form = moving.html.slice(moving.html.indexOf('<form class="board-move"'))
  expect(await browser.press(form, at, { to: '' })).toMatchObject({ status: 303, location: at })
  expect((await issue()).milestone).toBeNull()
})

test('a card moves to a milestone or label that has no column, which a search finds', async () => {
  for (let at = 0; at < 60; at++) {
    await forge.call(createLabel, ada, { repo: REPO, name: `area ${at}` })
    await forge.call(createMilestone, ada, { repo: REPO, title: `Goal ${at}` })
  }
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'It rattles' })
  const rattling = async () => (await forge.call(getIssue, ada, { repo: REPO, number })).issue
  const browser = await forge.browser('ada')
  const move = async (board: string, target: string, field: RegExp): Promise<void> => {
    const { html } = await browser.open(board)
    expect(html).not.toContain(`>${target}</`)
    const link = new RegExp(`href="([^"]+)"[^>]*aria-label="Move #${number}"`).exec(html)?.[1] ?? ''
    const address = link.replaceAll('&amp;', '&').split('#')[0] ?? ''
    const form = await browser.open(address)
    const found = await browser.press(form.html.replaceAll('&amp;', '&'), address, {
      find: 'to',
      'find-to': target,
    })
    expect([found.status, found.html.split('class="board-move"').length - 1]).toEqual([200, 1])
    const [, to = ''] = field.exec(found.html) ?? []
    const moved = await browser.press(found.html.replaceAll('&amp;', '&'), address, { to })
    expect([moved.status, moved.location]).toEqual([303, board])
    expect((await browser.open(board)).html).toContain(`>${target}</`)
  }
  const board = `/${REPO}/issues/board`
  await move(board, 'Goal 2', /name="to" value="([^"]+)"><span class="picker-text"><bdi>Goal 2</)
  expect((await rattling()).milestone?.title).toBe('Goal 2')
  await move(`${board}?by=label`, 'area 55', /name="to" value="(area 55)"/)
  expect((await rattling()).labels).toContain('area 55')
})

test('a board of 40 columns and 100 issues has pages with all of them, and says how many there are', async () => {
  await forge.repo('acme/wide', { as: ada })
  const labels = Array.from({ length: 40 }, (_, at) => `column ${at} with a name of usual length`)
  for (let at = 0; at < 100; at++)
    await forge.call(createIssue, ada, {
      repo: 'acme/wide',
      title: `Card ${at}: a title of usual length with a number of words`,
      labels: [labels[at % 40] ?? '', labels[(at * 7) % 40] ?? ''],
      assignees: ['ada'],
    })
  for (const title of labels) await forge.call(createMilestone, ada, { repo: 'acme/wide', title })
  const browser = await forge.browser('ada')
  for (const query of ['?by=label', '']) {
    const seen: string[] = []
    let at: string | undefined = `/acme/wide/issues/board${query}`
    while (at !== undefined) {
      const { status, html } = await browser.open(at.replaceAll('&amp;', '&'))
      expect([status, Buffer.byteLength(html) < 100_000]).toEqual([200, true])
      const cards = new Set([...html.matchAll(/>Card (\d+):/g)].map(([, card = '']) => card))
      expect(html).toContain(`${seen.length + 1} to ${seen.length + cards.size} of 100`)
      seen.push(...cards)
      at = /href="([^"]+)" rel="next"/.exec(html)?.[1]
    }
    expect([seen.length, new Set(seen).size]).toEqual([100, 100])
  }
  // What is past the end leads to the first issues.
  const past = await browser.open('/acme/wide/issues/board?from=5000')
  expect(past.html).toContain('Open issues 1 to ')
})
