/**
 * The inbox, its settings, the links in mail, and the feeds, as browsers and mail programs use
 * them.
 */
import { afterAll, expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { runForge } from '../../features/oauth/running.ts'
import { receiver } from '../../features/notifications/smtp.ts'
import { browserPage } from './pulls/browser-page.ts'
import { parseXml, type Element } from './well-formed.ts'
import { spoil } from '../../spoil.ts'

const server = await receiver()
afterAll(() => server.close())

async function setUp() {
  const forge = await runForge({ mail: { url: server.url, from: 'Forge <forge@example.com>' } })
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  const out = await forge.user('out')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  await forge.repo('acme/vault', { as: ada, private: true })
  await forge.commit(
    'acme/site',
    'main',
    { 'a.txt': 'a', 'news.atom': 'x' },
    { message: 'Say <hello> & "more"\n\nWhy not\u0007?' },
  )
  await forge.commit('acme/vault', 'main', { 'a.txt': 'a' })
  const issue = async (title: string, body: string, repo = 'acme/site') =>
    (await forge.call(createIssue, ada, { repo, title, body })).number
  return {
    forge,
    ada,
    bob,
    out,
    issue,
    member: await forge.browser('bob'),
    owner: await forge.browser('ada'),
    outsider: await forge.browser('out'),
    visitor: await forge.browser(null),
  }
}

test('one key marks the last notification done, and nothing of it is left', async () => {
  const { forge, issue } = await setUp()
  await issue('Broken', 'Look, @bob')
  await forge.jobs()
  const { page, problems } = await browserPage(forge, 'bob')
  await page.goto('/notifications')
  await page.locator('.row').waitFor()
  await page.keyboard.press('j')
  await page.locator('.row :focus').waitFor()
  await page.keyboard.press('e')
  await page.getByText('No unread notifications').waitFor()
  expect(await page.locator('main').textContent()).not.toContain('Broken')
  expect(problems).toEqual([])
})

test('the bell counts, opening marks as read, done removes, and news return a notification', async () => {
  const { forge, ada, bob, issue, member, owner, outsider } = await setUp()
  const number = await issue('<b>Broken</b>', 'Look, @bob')
  await issue('Secret thing', '@bob @out', 'acme/vault')
  await forge.jobs()
  expect((await owner.open('/')).html).toContain('aria-label="Notifications"')
  const home = await member.open('/')
  expect(home.html).toContain('aria-label="Notifications, 2 unread"')
  const inbox = await member.open('/notifications')
  expect(inbox.html).toContain('&lt;b&gt;Broken&lt;/b&gt;')
  expect(inbox.html).toContain(`href="/acme/site/issues/${number}"`)
  expect((await outsider.open('/notifications')).html).not.toContain('Secret thing')
  expect((await outsider.open('/')).html).toContain('aria-label="Notifications"')

  const { items } = await forge.call(listNotifications, bob, { repo: 'acme/site' })
  const id = items[0]?.id ?? ''
  const opened = await member.press(inbox.html, '/notifications/open', { id })
  expect([opened.status, opened.location]).toEqual([303, `/acme/site/issues/${number}`])
  expect((await member.open('/notifications')).html).not.toContain('Broken')
  expect((await member.open('/notifications?view=all')).html).toContain('Broken')
  // Nobody marks another's, and nothing is changed by looking.
  expect(
    (
      await owner.press(
        (
          await owner.open('/settings/notifications')
        ).html.replace('"/settings/notifications/feed-token"', '"/notifications/mark"'),
        '/notifications/mark',
        { id, state: 'unread' },
      )
    ).status,
  ).toBe(404)
  const all = await member.open('/notifications?view=all')
  expect(
    (
      await member.press(all.html, '/notifications/mark', {
        id,
        state: 'done',
        back: 'https://evil.test/',
      })
    ).location,
  ).toBe('/notifications')
  expect((await member.open('/notifications?view=all')).html).not.toContain('Broken')
  expect((await member.open('/notifications?view=done')).html).toContain('Broken')
  await forge.call(addComment, ada, { repo: 'acme/site', number, body: 'More.' })
  await forge.jobs()
  const again = await member.open('/notifications')
  expect(again.html).toContain('Broken')
  expect(
    (
      await member.press(again.html, '/notifications/mark-all', {
        state: 'read',
        before: forgeNow(forge),
      })
    ).status,
  ).toBe(303)
  expect((await member.open('/notifications')).html).toContain('No unread notifications')
  expect((await member.open('/notifications?repo=acme/nothing')).status).toBe(404)
})

const forgeNow = (forge: { clock: { now(): number } }): string =>
  new Date(forge.clock.now()).toISOString()

test('pages watch, star and subscribe, and an issue shows where it is mentioned', async () => {
  const { forge, bob, issue, member, visitor, outsider } = await setUp()
  const number = await issue('First', 'x')
  const other = await issue('Second', `After #${number}`)
  const hidden = await issue('Hidden', `acme/site#${number}`, 'acme/vault')
  await forge.jobs()
  const repo = await member.open('/acme/site')
  expect(
    (await member.press(repo.html, '/acme/site/subscription', { level: 'all', back: '/acme/site' }))
      .location,
  ).toBe('/acme/site')
  expect((await member.press(repo.html, '/acme/site/star', { star: 'yes' })).location).toBe(
    '/acme/site',
  )
  expect((await member.open('/acme/site')).html).toContain('Starred 1')
  expect((await visitor.open('/acme/site')).html).not.toContain('action="/acme/site/star"')
  const page = await member.open(`/acme/site/issues/${number}`)
  expect(page.html).toContain(`#${other} Second`)
  expect(page.html).toContain(`acme/vault#${hidden} Hidden`)
  expect((await outsider.open(`/acme/site/issues/${number}`)).html).not.toContain('Hidden')
  expect((await visitor.open(`/acme/site/issues/${number}`)).html).not.toContain('Hidden')
  expect(page.html).toContain('Unsubscribe')
  await member.press(page.html, `/acme/site/issues/${number}/subscription`, { subscribed: 'no' })
  expect((await member.open(`/acme/site/issues/${number}`)).html).toContain('>Subscribe<')
  expect((await forge.call(listNotifications, bob, {})).items).toEqual([])
})

test('the link of a mail confirms before it unsubscribes, and a mail client unsubscribes by one POST', async () => {
  const { forge, issue, member, visitor } = await setUp()
  await issue('Loud', '@bob')
  await forge.jobs()
  const letter = server.received.find(
    ({ to, headers }) => to.includes('bob@example.com') && headers.get('subject')?.includes('Loud'),
  )
  const link = /^<(.*)>$/.exec(letter?.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
  expect(link).toStartWith(`${forge.url}/notifications/unsubscribe/`)
  const path = link.slice(forge.url.length)
  expect((await visitor.open(path)).html).toContain('Unsubscribe')
  const { html } = await member.open('/acme/site/issues/1')
  expect(html).toContain('Unsubscribe')
  const post = (to: string) =>
    fetch(to, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      redirect: 'manual',
    })
  expect((await post(link)).status).toBe(200)
  expect((await post(link)).status).toBe(200)
  expect((await member.open('/acme/site/issues/1')).html).toContain('>Subscribe<')
  expect((await post(spoil(link))).status).toBe(404)
  // No other form is open to such a post.
  expect((await post(`${forge.url}/notifications/mark-all`)).status).toBe(403)
  expect((await post(`${forge.url}/acme/site/star`)).status).toBe(403)
})

test('settings choose mails, and show a feed token once', async () => {
  const { forge, member } = await setUp()
  const page = await member.open('/settings/notifications')
  expect(page.html).toContain('bob@example.com')
  expect(
    (
      await member.press(page.html, '/settings/notifications', {
        mail: 'assigned',
        digest: 'daily',
      })
    ).status,
  ).toBe(303)
  const changed = (await member.open('/settings/notifications')).html
  expect(/id="mail-mention"[^>]*>/.exec(changed)?.[0]).not.toContain('checked')
  expect(/id="mail-assigned"[^>]*>/.exec(changed)?.[0]).toContain('checked')
  const made = await member.press(changed, '/settings/notifications/feed-token', {})
  const secret =
    /id="token-secret"[^>]*>\s*([\w-]+)/.exec(made.html)?.[1] ??
    /id="token-secret"[^>]*value="([\w-]+)"/.exec(made.html)?.[1] ??
    ''
  expect(secret).toHaveLength(32)
  expect((await member.open('/settings/notifications')).html).not.toContain(secret)
  expect((await fetch(`${forge.url}/acme/vault/issues.atom?token=${secret}`)).status).toBe(200)
  await member.press(
    (await member.open('/settings/notifications')).html,
    '/settings/notifications/feed-token/remove',
    {},
  )
  expect((await fetch(`${forge.url}/acme/vault/issues.atom?token=${secret}`)).status).toBe(401)
})

const texts = (feed: Element, name: string): string[] =>
  feed.children
    .filter((child) => child.name === 'entry')
    .map((entry) => entry.children.find((child) => child.name === name)?.text ?? '')

test('feeds are well-formed for any text, and private ones require a token', async () => {
  const { forge, issue } = await setUp()
  await issue('A <script> & "quotes" ]]>', '**bold** & ]]> \u000b\n\n<script>alert(1)</script>')
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(forge.url + path, { headers, redirect: 'manual' })
  const feed = async (path: string): Promise<Element> => {
    const response = await get(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/atom+xml; charset=utf-8',
    ])
    const parsed = parseXml(await response.text())
    expect([parsed.name, parsed.attributes.xmlns]).toEqual(['feed', 'http://www.w3.org/2005/Atom'])
    for (const element of [parsed, ...parsed.children.filter(({ name }) => name === 'entry')]) {
      for (const needed of ['id', 'title', 'updated'])
        expect(element.children.filter(({ name }) => name === needed)).toHaveLength(1)
    }
    return parsed
  }
  const issues = await feed('/acme/site/issues.atom')
  expect(texts(issues, 'title')).toEqual(['#1 A <script> & "quotes" ]]>'])
  expect(texts(issues, 'content')[0]).toContain('<strong>bold</strong>')
  expect(texts(issues, 'content')[0]).not.toContain('<script')
  const commits = await feed('/acme/site/commits/main.atom')
  expect(texts(commits, 'title')).toEqual(['Say <hello> & "more"'])
  expect(texts(await feed('/acme/site/releases.atom'), 'title')).toEqual([])
  const workspace = await feed('/acme.atom')
  expect(texts(workspace, 'title').some((title) => title.includes('opened issue #1'))).toBe(true)
  expect(texts(workspace, 'title').join()).not.toContain('vault')
  for (const path of [
    '/acme/vault/issues.atom',
    '/acme/vault/commits/main.atom',
    '/acme/vault/releases.atom',
  ]) {
    const closed = await get(path)
    expect(closed.status).not.toBe(200)
    expect(await closed.text()).not.toContain('<feed')
  }
  expect((await get('/nobody.atom')).status).not.toBe(200)
  expect((await get('/acme/site/issues.atom?token=wrong')).status).toBe(401)
  // A file that is called like a feed keeps its history.
  const history = await get('/acme/site/commits/main/news.atom')
  expect([history.status, history.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ])

  const first = await get('/acme/site/issues.atom')
  const etag = first.headers.get('etag') ?? ''
  const second = await get('/acme/site/issues.atom', { 'if-none-match': etag })
  expect([second.status, await second.text()]).toEqual([304, ''])
  await issue('Another', '')
  expect((await get('/acme/site/issues.atom', { 'if-none-match': etag })).status).toBe(200)
})

test('activity of a workspace and a repository, by kind and in pages', async () => {
  const { issue, member, visitor } = await setUp()
  for (let at = 0; at < 3; at++) await issue(`Issue ${at}`, '')
  await issue('Secret', '', 'acme/vault')
  expect((await visitor.open('/acme/-/activity')).html).toContain('opened issue #3')
  expect((await visitor.open('/acme/-/activity')).html).not.toContain('acme/vault')
  expect((await member.open('/acme/-/activity')).html).toContain('acme/vault')
  const issues = (await visitor.open('/acme/site/activity?kind=issues')).html
  expect(issues).toContain('opened issue #1')
  expect(issues).not.toContain('pushed')
  expect((await visitor.open('/acme/site/activity?kind=code')).html).toContain('pushed')
  expect((await visitor.open('/nobody/-/activity')).status).not.toBe(200)
  expect((await visitor.open('/acme/site')).html).toContain('href="/acme/site/commits/main.atom"')
})
