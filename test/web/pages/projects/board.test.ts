/** Projects on the site: made, shown as a board, changed and deleted by forms alone. */
import { expect, test } from 'bun:test'
import { createIssue, getIssue } from '#features/issues/index.ts'
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
