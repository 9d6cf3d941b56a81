/** Pickers of long lists: every choice is found, with and without a script, and pages stay small. */
import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/operations.ts'
import {
  createIssue,
  createLabel,
  createMilestone,
  getIssue,
  listIssues,
} from '#features/issues/index.ts'
import { createPull } from '#features/pulls/index.ts'
import { createBranch, getRepo } from '#features/repos/index.ts'
import { createTeam } from '#features/teams/index.ts'
import { runForge } from '../../features/oauth/running.ts'
import { openContext } from '../../journeys/browser.ts'
import { formOf } from './form-of.ts'

const MAX_PAGE_BYTES = 100_000
const COUNT = 120
const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
const people = await Promise.all(
  Array.from({ length: COUNT }, (_, at) => forge.user(`person-with-a-name-${at}`)),
)
await forge.workspace('acme', { owner: ada, members: people })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'a.txt': 'a\n' }, { as: ada })
const name = (kind: string, at: number) => `${kind} ${at} with "a long" name & <signs>`
for (let at = 0; at < COUNT; at++) {
  const description = `The description of the label with the number ${at}, `.repeat(4).slice(0, 200)
  await forge.call(createLabel, ada, { repo: REPO, name: name('label', at), description })
  await forge.call(createMilestone, ada, { repo: REPO, title: name('milestone', at) })
  await forge.call(createTeam, ada, { workspace: 'acme', slug: `team-${at}`, name: `Team ${at}` })
  await forge.call(createAgent, ada, { repo: REPO, name: `agent-${at}` })
}
const BRANCHES = Array.from({ length: 3 * COUNT }, (_, at) => `branch/${'long-'.repeat(20)}${at}`)
for (const branch of BRANCHES)
  await forge.call(createBranch, ada, { repo: REPO, branch, from: 'main' })
const LABELS = [name('label', 99), name('label', 5)]
const { number } = await forge.call(createIssue, ada, {
  repo: REPO,
  title: 'It leaks',
  labels: LABELS,
})
await forge.commit(REPO, 'topic', { 'b.txt': 'b\n' }, { as: ada })
const { pull } = await forge.call(createPull, ada, { repo: REPO, title: 'Mend', branch: 'topic' })
for (let at = 0; at < 80; at++)
  await forge.call(createIssue, ada, {
    repo: REPO,
    title: `An issue of many ${at} `.repeat(8),
    labels: Array.from({ length: 10 }, (_, n) => name('label', (at * 7 + n * 9) % COUNT)),
    milestone: name('milestone', at),
    assignees: ['ada', 'person-with-a-name-3'],
  })
const browser = await forge.browser('ada')

const PAGES = [
  'issues',
  'pulls',
  'issues/new',
  `issues/${number}`,
  `issues/${number}/edit`,
  `pull/${pull.number}`,
  `pull/${pull.number}/edit`,
  'pulls/new',
  'compare',
  'settings',
  'settings/collaborators',
  'settings/rulesets/new',
  'issues/board',
  'issues/board?by=label',
  'labels',
  'milestones',
  'releases/new',
  'branches',
]
test.each(PAGES)('%s has at most 100 KB', async (path) => {
  const { status, html } = await browser.open(`/${REPO}/${path}`)
  expect([status, Buffer.byteLength(html) <= MAX_PAGE_BYTES]).toEqual([200, true])
})

/** The values of the options of a picker; those that are chosen have a star. */
function options(html: string, picker: string): string[] {
  const list = new RegExp(`<ul aria-label="${picker}">(.*?)</ul>`, 's').exec(html)?.[1] ?? ''
  return [...list.matchAll(/<input [^>]*>/g)].map(
    ([tag]) => decode(/value="([^"]*)"/.exec(tag)?.[1] ?? '') + (/ checked/.test(tag) ? ' *' : ''),
  )
}
const decode = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Searches a picker as a browser without a script does: the form is shown again. */
async function find(html: string, action: string, picker: string, q: string, change = {}) {
  const found = await browser.press(html, action, {
    find: picker,
    [`find-${picker}`]: q,
    ...change,
  })
  expect(found.status).toBe(200)
  return found.html
}

test('a new issue keeps what is typed and chosen while its pickers are searched', async () => {
  const at = `/${REPO}/issues/new`
  const { html } = await browser.open(at)
  expect(options(html, 'Labels')).not.toContain(name('label', 77))
  const typed = { title: 'It drips', body: 'From the roof' }
  const labels = await find(html, at, 'labels', 'LABEL 77', typed)
  expect(options(labels, 'Labels')).toEqual([name('label', 77)])
  const chosen = { ...typed, labels: ['', name('label', 77)] }
  const people = await find(labels, at, 'assignees', 'name-111', chosen)
  expect(options(people, 'Labels')).toContain(`${name('label', 77)} *`)
  expect(options(people, 'Assignees')).toEqual(['person-with-a-name-111'])
  const milestones = await find(people, at, 'milestone', 'milestone 3 with', {
    ...chosen,
    assignees: ['', 'person-with-a-name-111'],
  })
  expect(options(milestones, 'Milestone')).toEqual([name('milestone', 3)])
  expect(options(milestones, 'Assignees')).toContain('person-with-a-name-111 *')
  expect([milestones.includes('value="It drips"'), milestones.includes('From the roof')]).toEqual([
    true,
    true,
  ])
  const { location } = await browser.press(milestones, at, {
    ...chosen,
    milestone: name('milestone', 3),
  })
  const made = await forge.call(getIssue, ada, {
    repo: REPO,
    number: Number(location.split('/').at(-1)),
  })
  expect(made.issue).toMatchObject({
    title: 'It drips',
    labels: [name('label', 77)],
    assignees: [{ username: 'person-with-a-name-111' }],
    milestone: { title: name('milestone', 3) },
  })
})

test('nothing is found, and nothing is lost', async () => {
  const at = `/${REPO}/issues/${number}`
  const html = await find((await browser.open(at)).html, `${at}/labels`, 'labels', 'none such')
  expect(options(html, 'Labels').sort()).toEqual(LABELS.map((label) => `${label} *`).sort())
  const milestones = await find(html, `${at}/milestone`, 'milestone', 'none such')
  expect(milestones.includes('Nothing found.')).toBe(true)
})

test('labels have their colours, whichever place they have in the list', async () => {
  const { html } = await (await forge.browser('person-with-a-name-1')).open(
    `/${REPO}/issues/${number}`,
  )
  for (const label of LABELS)
    expect(
      new RegExp(`fill="#[0-9a-f]{6}"></circle></svg>${Bun.escapeHTML(label)}`).test(html),
    ).toBe(true)
})

test('reviewers are found among all people, agents and teams', async () => {
  const at = `/${REPO}/pull/${pull.number}`
  const action = `${at}/reviewers`
  const { html } = await browser.open(at)
  const team = await find(html, action, 'reviewers', 'team-77')
  expect(options(team, 'Reviewers')).toContain('acme/team-77')
  const person = await find(team, action, 'reviewers', 'name-119', { reviewers: ['acme/team-77'] })
  expect(options(person, 'Reviewers')).toEqual(['person-with-a-name-119', 'acme/team-77 *'])
})

test('every branch can be the head, the base and the default branch', async () => {
  const branch = BRANCHES[200] ?? ''
  const at = `/${REPO}/pulls/new`
  const heads = await find((await browser.open(at)).html, at, 'head', '-200')
  expect(options(heads, 'Head branch')).toEqual([branch])
  const bases = await find(heads, at, 'base', '-201', { branch })
  expect(options(bases, 'Head branch')).toContain(`${branch} *`)
  expect(options(bases, 'Base branch')).toEqual([BRANCHES[201] ?? '', 'main *'])
  const settings = `/${REPO}/settings`
  const found = await find((await browser.open(settings)).html, settings, 'branch', '-200')
  expect(options(found, 'Default branch')).toEqual([branch, 'main *'])
  await browser.press(found, settings, { default_branch: branch })
  expect((await forge.call(getRepo, ada, { repo: REPO })).default_branch).toBe(branch)
  await browser.press((await browser.open(settings)).html, settings, { default_branch: 'main' })
})

test('the filters of a list find all labels, milestones and people', async () => {
  const at = `/${REPO}/issues?q=is:open`
  const links = (html: string, picker: string): string[] => {
    const list = new RegExp(`<ul aria-label="${picker}">(.*?)</ul>`, 's').exec(html)?.[1] ?? ''
    return [...list.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => decode(href))
  }
  const label = (await browser.open(`${at}&find=labels&find-labels=label+77`)).html
  const [href = ''] = links(label, 'Label')
  expect(new URL(href, forge.url).searchParams.get('q')).toContain(`label:"label 77`)
  expect(label).toContain('<details class="menu picker" data-menu data-picker open>')
  const author = (await browser.open(`${at}&find=author&find-author=name-88`)).html
  expect([links(author, 'Author').length, links(author, 'Assignee').length > 1]).toEqual([1, true])
})

test('typing searches the server, keeps what is chosen, and Enter takes the first', async () => {
  const context = await openContext()
  await context.addCookies([{ name: 'hearth', value: 'ada-cookie', url: forge.url }])
  const page = await context.newPage()
  await page.goto(`${forge.url}/${REPO}/issues/${number}`)
  const picker = page.locator('form[action$="/labels"] .picker')
  await picker.locator('summary').click()
  await picker.locator('.picker-search:focus').waitFor()
  await page.keyboard.type('label 118')
  await picker.locator('li', { hasText: 'label 118' }).waitFor()
  await page.keyboard.press('Enter')
  await picker.locator('li', { hasText: 'label 118' }).locator(':checked').waitFor()
  await page.keyboard.type('label 44')
  await page.keyboard.press('Enter')
  await picker.locator('li', { hasText: 'label 44' }).locator(':checked').waitFor()
  expect(await picker.locator('input:checked').count()).toBe(4)
  await page.keyboard.press('Escape')
  await page.waitForSelector('.notice')
  const changed = await forge.call(getIssue, ada, { repo: REPO, number })
  expect(changed.issue.labels.toSorted()).toEqual(
    [...LABELS, name('label', 118), name('label', 44)].toSorted(),
  )
  await page.goto(`${forge.url}/${REPO}/issues`)
  const author = page.locator('.list-menus .picker').first()
  await author.locator('summary').click()
  await author.locator('.picker-search:focus').waitFor()
  await page.keyboard.type('name-64')
  await author.locator('li', { hasText: 'name-64' }).waitFor()
  await Promise.all([page.waitForURL(/author/), page.keyboard.press('Enter')])
  expect(new URL(page.url()).searchParams.get('q')).toContain('author:person-with-a-name-64')
  await context.close()
})

test('the word after Enter searches anew while the server is slow, and closing saves what Enter chose', async () => {
  const { number: slow } = await forge.call(createIssue, ada, { repo: REPO, title: 'Slowly' })
  const page = await adasPage(true)
  await page.goto(`${forge.url}/${REPO}/issues/${slow}`)
  const picker = page.locator('form[action$="/labels"] .picker')
  // No search is answered before everything is typed.
  const typed = Promise.withResolvers<void>()
  await page.route('**/labels', async (route) => {
    if (route.request().postData()?.includes('find=labels')) await typed.promise
    await route.continue()
  })
  await picker.locator('summary').click()
  await picker.locator('.picker-search:focus').waitFor()
  const first = page.waitForRequest('**/labels')
  await page.keyboard.type('label 117')
  await page.keyboard.press('Enter')
  await first
  await page.keyboard.type('label 45')
  expect(await picker.locator('.picker-search').inputValue()).toBe('label 45')
  await page.keyboard.press('Enter')
  await page.keyboard.type('label 9')
  expect(await picker.locator('.picker-search').inputValue()).toBe('label 9')
  expect(await picker.locator(':checked').count()).toBe(0)
  typed.resolve()
  // The results of the last word are shown without another key.
  await picker.locator('li', { hasText: 'label 98' }).waitFor()
  const chosen = await picker
    .locator('input:checked')
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('value')))
  expect(chosen.toSorted()).toEqual([name('label', 117), name('label', 45)])
  expect(await picker.locator('.picker-search').inputValue()).toBe('label 9')

  // The picker is closed while Enter waits.
  const typedLast = Promise.withResolvers<void>()
  await page.unroute('**/labels')
  await page.route('**/labels', async (route) => {
    if (route.request().postData()?.includes('find=labels')) await typedLast.promise
    await route.continue()
  })
  await picker.locator('.picker-search').fill('label 116')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.waitForFunction(
    () => !document.querySelector('form[action$="/labels"] .picker')?.hasAttribute('open'),
  )
  typedLast.resolve()
  await page.waitForSelector('.notice')
  expect(await labelsOf(slow)).toEqual([117, 45, 116].map((at) => name('label', at)).toSorted())
  await page.context().close()
})

test('an issue with very many labels leaves its pages and a board small', async () => {
  const labels = Array.from({ length: 90 }, (_, at) => name('label', at))
  const title = 'It has everything'
  const made = await forge.call(createIssue, ada, { repo: REPO, title, labels })
  const here = `/${REPO}/issues/${made.number}`
  for (const path of [here, `${here}/edit`]) {
    const { html } = await browser.open(path)
    expect([path, Buffer.byteLength(html) <= MAX_PAGE_BYTES]).toEqual([path, true])
    // Some are boxes, and the others are kept in one field.
    const boxes = html.match(/type="checkbox" name="labels"[^>]* checked/g)?.length ?? 0
    expect([path, boxes > 0, boxes < 90]).toEqual([path, true, true])
    expect(html).toContain(`${90 - boxes} more are chosen. Search to find them.`)
    expect(
      formOf(html, path === here ? `${here}/labels` : path)
        .get('labels')
        ?.join(', '),
    ).toContain(name('label', 89))
  }
  const whole = await browser.open(`${here}/text/labels`)
  for (const label of labels) expect(whole.html).toContain(`${Bun.escapeHTML(label)}</a>`)
  expect((await browser.open(here)).html).toContain(`href="${here}/text/labels"`)
  for (const by of ['label', 'milestone']) {
    const { html } = await browser.open(`/${REPO}/issues/board?by=${by}`)
    expect([by, Buffer.byteLength(html) <= MAX_PAGE_BYTES]).toEqual([by, true])
    expect([by, html.split(title).length - 1]).toEqual([by, by === 'label' ? 20 : 1])
    expect(html).toContain(by === 'label' ? '83 more labels' : '84 more labels')
  }
})

const labelsOf = async (of: number) =>
  (await forge.call(getIssue, ada, { repo: REPO, number: of })).issue.labels.toSorted()

test('labels that a picker has no room for stay, and are removed after a search', async () => {
  const labels = Array.from({ length: 90 }, (_, at) => name('label', at))
  const made = await forge.call(createIssue, ada, { repo: REPO, title: 'It has all', labels })
  const here = `/${REPO}/issues/${made.number}`
  const form = `${here}/labels`
  await browser.press((await browser.open(here)).html, form, {})
  expect(await labelsOf(made.number)).toEqual(labels.toSorted())
  const search = { find: 'labels', 'find-labels': 'label 77' }
  const { html } = await browser.press((await browser.open(here)).html, form, search)
  expect(html).toMatch(/type="checkbox" name="labels" value="label 77 [^>]* checked/)
  const kept = formOf(html, form)
    .get('labels')
    ?.filter((value) => value !== name('label', 77))
  await browser.press(html, form, { labels: kept ?? [] })
  expect(await labelsOf(made.number)).toEqual(
    labels.filter((label) => label !== name('label', 77)).toSorted(),
  )
})

test('with a script, too, a label without a place in its picker is removed after a search', async () => {
  const labels = Array.from({ length: 90 }, (_, at) => name('label', at))
  const made = await forge.call(createIssue, ada, { repo: REPO, title: 'It has all', labels })
  const page = await adasPage(true)
  await page.goto(`${forge.url}/${REPO}/issues/${made.number}`)
  const picker = page.locator('form[action$="/labels"] .picker')
  await picker.locator('summary').click()
  await picker.locator('.picker-search:focus').waitFor()
  await page.keyboard.type('label 78')
  const item = picker.locator('li', { hasText: 'label 78' })
  await item.locator(':checked').waitFor()
  await page.keyboard.press('Enter')
  await item.locator('input:not(:checked)').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForSelector('.notice')
  expect(await labelsOf(made.number)).toEqual(
    labels.filter((label) => label !== name('label', 78)).toSorted(),
  )
  await page.context().close()
})

/** A page of a browser in which Ada is signed in. */
async function adasPage(javaScriptEnabled: boolean) {
  const context = await openContext({ javaScriptEnabled })
  await context.addCookies([{ name: 'hearth', value: 'ada-cookie', url: forge.url }])
  return context.newPage()
}
const countIssues = async () =>
  (await forge.call(listIssues, ada, { repo: REPO, state: 'all', per_page: 1 })).total

test('without a script, Enter in a search finds, and Enter in another field sends the form', async () => {
  const page = await adasPage(false)
  const before = await countIssues()
  await page.goto(`${forge.url}/${REPO}/issues/new`)
  const pickers = page.locator('form .picker')
  const search = async (label: string, q: string) => {
    const picker = pickers.filter({ has: page.locator(`[aria-label="Filter ${label}"]`) })
    if ((await picker.getAttribute('open')) === null) await picker.locator('summary').click()
    await picker.locator('.picker-search').fill(q)
    await Promise.all([page.waitForEvent('load'), picker.locator('.picker-search').press('Enter')])
    return picker
  }
  // Before anything is typed: a search needs no title.
  const labels = await search('labels', 'label 66')
  await page.locator('[name=title]').fill('It drips again')
  await page.locator('[name=body]').fill('From the gutter')
  await labels.getByText('label 66').click()
  await labels.locator('summary').click()
  const people = await search('assignees', 'name-112')
  expect(await page.locator('[name=title]').inputValue()).toBe('It drips again')
  expect(await page.locator('[name=body]').inputValue()).toBe('From the gutter')
  await people.getByText('person-with-a-name-112').click()
  expect(await countIssues()).toBe(before)
  // The texts of both searches are still in their fields.
  await Promise.all([page.waitForURL(/issues\/\d+$/), page.locator('[name=title]').press('Enter')])
  const made = Number(page.url().split('/').at(-1))
  expect((await forge.call(getIssue, ada, { repo: REPO, number: made })).issue).toMatchObject({
    title: 'It drips again',
    body: 'From the gutter',
    labels: [name('label', 66)],
    assignees: [{ username: 'person-with-a-name-112' }],
  })
  await page.context().close()
})

test('a new pull request is not sent by a search of its branches', async () => {
  const page = await adasPage(false)
  await page.goto(`${forge.url}/${REPO}/pulls/new`)
  await page.locator('[name=title]').fill('Mend it')
  const head = page.locator('.picker', { has: page.locator('[name=find-head]') })
  await head.locator('summary').click()
  await head.locator('[name=find-head]').fill('-203')
  await Promise.all([page.waitForEvent('load'), head.locator('[name=find-head]').press('Enter')])
  expect([
    new URL(page.url()).pathname,
    await page.locator('[name=title]').inputValue(),
    await head.locator('[name=branch]').count(),
  ]).toEqual([`/${REPO}/pulls/new`, 'Mend it', 1])
  await page.context().close()
})

test('with a script, Enter in a title sends the form, whatever is left in a search', async () => {
  const page = await adasPage(true)
  await page.goto(`${forge.url}/${REPO}/issues/new`)
  await page.locator('[name=title]').press('Enter')
  // The browser asks for the title.
  expect(await page.locator('[name=title]:invalid:focus').count()).toBe(1)
  const labels = page.locator('form .picker', { has: page.locator('[name=find-labels]') })
  await labels.locator('summary').click()
  await labels.locator('.picker-search:focus').waitFor()
  await page.keyboard.type('label 55')
  await labels.locator('li', { hasText: 'label 55' }).waitFor()
  await page.keyboard.press('Enter')
  await labels.locator('li', { hasText: 'label 55' }).locator(':checked').waitFor()
  await page.keyboard.type('left')
  await page.keyboard.press('Escape')
  await page.locator('[name=title]').fill('It leaks here')
  await Promise.all([page.waitForURL(/issues\/\d+$/), page.locator('[name=title]').press('Enter')])
  const made = Number(page.url().split('/').at(-1))
  expect((await forge.call(getIssue, ada, { repo: REPO, number: made })).issue).toMatchObject({
    title: 'It leaks here',
    labels: [name('label', 55)],
  })
  await page.context().close()
})
