/** The start page, and the way from an account to a first push without a script. */
import { expect, test } from 'bun:test'
import { createIssue, updateIssue } from '#features/issues/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada, members: [await forge.user('bob')] })

test('a new user creates a repository and a token for the first push', async () => {
  const browser = await forge.browser('ada')
  const home = await browser.open('/')
  expect(home.html).toContain('Three steps to your first push')
  const made = await browser.press(home.html, '/new', { name: 'site' })
  expect([made.status, made.location]).toEqual([303, '/acme/site'])
  const empty = await browser.open('/acme/site')
  expect([
    empty.html.includes('git remote add origin'),
    empty.html.includes('mcpServers'),
    empty.html.includes('hearth login'),
    empty.html.includes('hthu_'),
  ]).toEqual([true, true, true, false])
  const shown = await browser.press(empty.html, '/acme/site/first-token', {})
  const secret = /id="token-secret"[^>]*>\s*(hthu_\w+)/.exec(shown.html)?.[1] ?? ''
  expect(shown.html).toContain(`git remote add origin http://ada:${secret}@`)
  const about = async (path: string) =>
    (await forge.get(path, { authorization: `Bearer ${secret}` })).status
  // It reads and pushes code of this repository, and is good for nothing else.
  expect([
    await about('/api/repos/acme/site/branches'),
    await about('/api/v1/repos/acme/site/issues'),
  ]).toEqual([200, 403])
  expect((await browser.open('/acme/site/first-token')).location).toBe('/acme/site')
})

test('what needs attention comes first', async () => {
  const issue = await forge.call(createIssue, ada, { repo: 'acme/site', title: 'The door squeaks' })
  const browser = await forge.browser('bob')
  expect((await browser.open('/')).html).toContain('Nothing needs your attention')
  await forge.call(updateIssue, ada, {
    repo: 'acme/site',
    number: issue.number,
    assignees: ['bob'],
  })
  const { html } = await browser.open('/')
  expect(html).toMatch(/<h2>Assigned to you<\/h2>[^]*The door squeaks/)
  expect(html).not.toContain('Nothing needs your attention')
})
