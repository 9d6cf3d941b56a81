/** Projects on the site: made, shown as a board, changed and deleted by forms alone. */
import { expect, test } from 'bun:test'
import { setProjectBoard } from '#features/boards/index.ts'
import { createIssue, getIssue } from '#features/issues/index.ts'
import { createProject } from '#features/workspaces/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo('acme/site', { as: ada })
const { number } = await forge.call(createIssue, ada, {
  repo: 'acme/site',
  title: 'It <squeaks>',
  labels: ['bug'],
})
const issue = async () => (await forge.call(getIssue, ada, { repo: 'acme/site', number })).issue
const PROJECT = '/acme/-/projects/oven-works'

test('a project is made from its name, and a card is moved by its form', async () => {
  const browser = await forge.browser('ada')
  const none = await browser.open('/acme/-/projects')
  expect(none.html).toContain('No projects yet')
  const form = await browser.open('/acme/-/new-project')
  expect(
    await browser.press(form.html, '/acme/-/new-project', {
      name: 'Oven works',
      repos: 'acme/site',
    }),
  ).toMatchObject({ status: 303, location: PROJECT })
  const board = await browser.open(PROJECT)
  expect(board.html).toContain('It &lt;squeaks&gt;')
  expect(board.html).toContain('site#1')
  const moved = await browser.press(board.html, PROJECT, { to: 'In progress' })
  expect([moved.status, moved.location]).toEqual([303, `${PROJECT}#card-In-progress-site-1`])
  expect((await issue()).labels).toEqual(['bug', 'in progress'])
})

test('an unknown column is told on the board', async () => {
  const browser = await forge.browser('ada')
  const board = await browser.open(PROJECT)
  const refused = await browser.press(board.html, PROJECT, { to: 'Nowhere' })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('no column Nowhere')
})

test('its columns are changed and it is deleted in its settings; strangers see nothing', async () => {
  const stranger = await forge.browser(null)
  expect((await stranger.open(PROJECT)).html).not.toContain('squeaks')
  const browser = await forge.browser('ada')
  const at = `${PROJECT}/settings`
  const settings = await browser.open(at)
  expect(settings.html).toContain('value="in progress"')
  const page = await browser.press(settings.html, `${at}/delete`, {})
  expect(page.location).toBe('/acme/-/projects')
  expect((await browser.open(PROJECT)).status).toBe(404)
  expect((await issue()).state).toBe('open')
})

test('every card of a large board is reached, on pages of less than 100 KB that say how many there are', async () => {
  const columns = Array.from({ length: 19 }, (_, at) => ({
    name: `Step ${at} with a long name with a long name`,
    kind: 'label' as const,
    label: `step-${at}`,
  }))
  await forge.call(createProject, ada, {
    workspace: 'acme',
    slug: 'large',
    name: 'Large',
    repos: ['acme/site'],
  })
  await forge.call(setProjectBoard, ada, {
    workspace: 'acme',
    project: 'large',
    columns: [{ name: 'To do', kind: 'open' }, ...columns],
  })
  const title = (at: number) => `Card ${at}: ${'words & <signs> '.repeat(10)}`
  for (let at = 0; at < 120; at++)
    await forge.call(createIssue, ada, {
      repo: 'acme/site',
      title: title(at),
      assignees: ['ada'],
      labels: at < 60 ? [] : [`step-${at % 19}`, 'bug', 'help'],
    })
  const browser = await forge.browser('ada')
  const open = async (address: string): Promise<string> => {
    const { status, html } = await browser.open(address)
    expect([status, Buffer.byteLength(html) < 100_000]).toEqual([200, true])
    return html
  }
  const seen = new Set<string>()
  const look = (html: string): void => {
    for (const [, at = ''] of html.matchAll(/>Card (\d+):/g)) seen.add(at)
  }
  const board = await open('/acme/-/projects/large')
  look(board)
  // The first issue of this file is in the column, too.
  expect(board).toContain('To do <span class="muted nums">61</span>')
  const links = [...board.matchAll(/href="([^"]*column=[^"]*)">Show all/g)]
  expect(links.length).toBeGreaterThan(0)
  for (const [, href = ''] of links) {
    let next: string | undefined = href
    while (next !== undefined) {
      const html = await open(next.replaceAll('&amp;', '&'))
      expect(html).toContain('Show all columns')
      look(html)
      next = /href="([^"]+)" rel="next"/.exec(html)?.[1]
    }
  }
  expect(seen.size).toBe(120)

  // A card of a late page moves to another column, and the page stays.
  const page = '/acme/-/projects/large?column=To+do&page=2'
  const late = await open(page)
  const [, link = ''] = /href="([^"]*move=[^"]*)#/.exec(late) ?? []
  const moving = await open(link.replaceAll('&amp;', '&'))
  const moved = await browser.press(moving.replaceAll('&amp;', '&'), page, {
    to: columns[4]?.name ?? '',
  })
  expect([moved.status, moved.location.split('#')[0]]).toEqual([303, page])
})
