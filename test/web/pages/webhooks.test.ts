/** The pages of webhooks, as browsers without a script use them. */
import { describe, expect, test } from 'bun:test'
import { verify } from '@octokit/webhooks-methods'
import { createIssue } from '#features/issues/create-issue.ts'
import { receiver } from '../../features/webhooks/fixture.ts'
import { runForge } from '../../features/oauth/running.ts'

async function setUp() {
  const at = receiver()
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  return {
    forge,
    ada,
    at,
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

const secretOf = (html: string): string =>
  /id="token-secret"[^>]*>\s*([0-9a-f]+)/.exec(html)?.[1] ?? ''
const idOf = (html: string): string => /whk_[0-9a-z]{26}/.exec(html)?.[0] ?? ''

for (const [where, list] of [
  ['a repository', '/acme/site/settings/hooks'],
  ['a workspace', '/acme/-/hooks'],
] as const) {
  describe(`webhooks of ${where}`, () => {
    test('are added with a secret shown once, pinged, paused, changed and deleted', async () => {
      const { forge, ada, at, browser, member, visitor } = await setUp()
      for (const other of [member, visitor]) expect((await other.open(list)).status).not.toBe(200)
      const empty = await browser.open(list)
      expect(empty.html).toContain('No webhooks yet')
      const made = await browser.press(empty.html, list, {
        url: at.url('/200'),
        which: 'some',
        events: ['issue.opened', 'git.push'],
      })
      const secret = secretOf(made.html)
      expect([made.status, /^[0-9a-f]{64}$/.test(secret)]).toEqual([200, true])
      await forge.jobs()
      expect(
        await verify(
          secret,
          at.got[0]?.body ?? '',
          at.got[0]?.headers.get('x-svc-signature-256') ?? '',
        ),
      ).toBe(true)

      const again = await browser.open(list)
      expect([
        again.html.includes(secret),
        again.html.includes('git.push, issue.opened') ||
          again.html.includes('issue.opened, git.push'),
        again.html.includes('Delivered'),
      ]).toEqual([false, true, true])
      const hook = `${list}/${idOf(again.html)}`
      for (const other of [member, visitor]) expect((await other.open(hook)).status).not.toBe(200)
      const page = await browser.open(hook)
      expect([page.status, page.html.includes(secret), page.html.includes('ping')]).toEqual([
        200,
        false,
        true,
      ])

      expect((await browser.press(page.html, `${hook}/ping`, {})).location).toBe(hook)
      await forge.call(createIssue, ada, { repo: 'acme/site', title: 'x' })
      await forge.jobs()
      expect(at.types().sort()).toEqual(['issue.opened', 'ping', 'ping'])

      const paused = await browser.press(page.html, `${hook}/active`, {})
      expect(paused.location).toBe(hook)
      await forge.call(createIssue, ada, { repo: 'acme/site', title: 'y' })
      await forge.jobs()
      expect(at.got).toHaveLength(3)
      const off = await browser.open(hook)
      expect([off.html.includes('Paused'), off.html.includes('Turn on')]).toEqual([true, true])
      await browser.press(off.html, `${hook}/active`, {})

      const form = { url: at.url('/204'), which: 'all', events: [], secret: '' }
      expect((await browser.press(off.html, hook, form)).status).toBe(303)
      await forge.call(createIssue, ada, { repo: 'acme/site', title: 'z' })
      await forge.jobs()
      const last = at.got.at(-1)
      expect([
        last?.path,
        await verify(secret, last?.body ?? '', last?.headers.get('x-svc-signature-256') ?? ''),
      ]).toEqual(['/204', true])

      expect((await browser.press(off.html, `${hook}/delete`, {})).location).toBe(list)
      expect((await browser.open(hook)).status).toBe(404)
      expect((await browser.open(list)).html).toContain('No webhooks yet')
    })

    test('a refused form keeps the typed text and shows the error beside its field', async () => {
      const { forge, at, browser } = await setUp()
      const { html } = await browser.open(list)
      const inside = await browser.press(html, list, {
        url: 'https://10.0.0.1/in',
        which: 'some',
        events: ['git.push'],
        secret: 'sixteen letters!',
      })
      expect([
        inside.status,
        inside.html.includes('outbound.allow'),
        inside.html.includes('value="https://10.0.0.1/in"'),
        /value="git\.push"[^>]* checked/.test(inside.html),
      ]).toEqual([422, true, true, true])
      const none = await browser.press(html, list, {
        url: at.url('/200'),
        which: 'some',
        events: [],
      })
      expect([none.status, none.html.includes('Choose at least one')]).toEqual([422, true])
      const short = await browser.press(html, list, {
        url: at.url('/200'),
        which: 'all',
        secret: 'short',
      })
      expect([short.status, short.html.includes('16 to 256')]).toEqual([422, true])
      await forge.jobs()
      expect(at.got).toEqual([])
    })

    test('a delivery shows request and response as text, and can be sent again', async () => {
      const { forge, at, browser, member } = await setUp()
      at.answerWith(
        () =>
          new Response('<script>alert(1)</script>', {
            status: 500,
            headers: { 'x-note': '<b>bold</b>' },
          }),
      )
      const made = await browser.press((await browser.open(list)).html, list, {
        url: at.url('/in'),
        which: 'all',
      })
      await forge.jobs()
      const hook = `${list}/${idOf(made.html)}`
      const page = await browser.open(hook)
      expect([page.html.includes('Waiting to retry'), page.html.includes('Status 500')]).toEqual([
        true,
        true,
      ])
      const address = /href="([^"]*\/deliveries\/dlv_[0-9a-z]{26})"/.exec(page.html)?.[1] ?? ''
      expect((await member.open(address)).status).not.toBe(200)
      const delivery = await browser.open(address)
      expect(delivery.html).toContain('X-Svc-Signature-256: sha256=')
      expect(delivery.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
      for (const markup of ['<script>alert', '<b>bold']) expect(delivery.html).not.toContain(markup)
      at.answerWith(null)
      const again = await browser.press(delivery.html, `${address}/redeliver`, {})
      expect(again.status).toBe(303)
      await forge.jobs()
      const second = await browser.open(again.location)
      expect([
        second.html.includes('Delivered'),
        second.html.includes(address.split('/').at(-1) ?? '-'),
      ]).toEqual([true, true])
      expect((await browser.open(`${hook}?state=waiting`)).html).toContain(address)
      expect((await browser.open(`${hook}?state=failed`)).html).toContain('None of these')
    })
  })
}
