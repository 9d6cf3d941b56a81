/** The pages of reports and advisories for people without an account. */
import { expect, test } from 'bun:test'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { listAdvisories } from '#features/security/reports/list-advisories.ts'
import { listVulnerabilityReports } from '#features/security/reports/list-vulnerability-reports.ts'
import { readAdvisory } from '#lib/advisories/osv.ts'
import { firstDigestWord } from '../../../web/client/sha256.ts'
import { runForge } from '../../features/oauth/running.ts'
import { makeReportWorld } from '../../features/security/reports/fixture.ts'
import { serveSite } from '../visitor.ts'

const REPO = 'acme/site'
const REPORTS = `/${REPO}/security/reports`

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'docs/SECURITY.md': 'Write to **us** first.\n' })
  const reports = async () =>
    (await forge.call(listVulnerabilityReports, ada, { repo: REPO })).items
  return { forge, ada, reports, stranger: await forge.browser(null) }
}

/** What the script of the page does. */
function solve(html: string): { challenge: string; answer: string } {
  const [, challenge = '', bits = ''] = /data-work="([^"]+)"[^>]*data-bits="(\d+)"/.exec(html) ?? []
  for (let answer = 0; ; answer++)
    if (firstDigestWord(`${challenge}:${answer}`) >>> (32 - Number(bits)) === 0)
      return { challenge, answer: String(answer) }
}

test('a report without an account needs a proof of work, and is followed at its own address', async () => {
  const { stranger, reports } = await setUp()
  const form = await stranger.open(`${REPORTS}/new`)
  expect(form.html).toContain('Write to <strong>us</strong> first.')
  const input = { title: 'Hole', description: 'Deep', email: 'finder@example.com' }
  const early = await stranger.press(form.html, `${REPORTS}/new`, input)
  expect(early.html).toContain('proof of work')
  const forged = { ...input, ...solve(form.html), challenge: '99999999999999.x' }
  expect((await stranger.press(form.html, `${REPORTS}/new`, forged)).status).not.toBe(303)
  expect(await reports()).toEqual([])
  const sent = await stranger.press(form.html, `${REPORTS}/new`, { ...input, ...solve(form.html) })
  expect(sent.status).toBe(303)
  expect(sent.location).toStartWith(`${REPORTS}/follow/`)
  const own = await stranger.open(sent.location ?? '')
  expect(own.html).toContain('Hole')
  expect(own.html).toContain('noindex')
  expect(own.html).not.toContain('finder@example.com')
  expect(await reports()).toMatchObject([{ title: 'Hole', reporter_email: 'finder@example.com' }])
  expect((await stranger.open(`${REPORTS}/follow/nothing`)).status).toBe(404)
})

test('a manager drafts an advisory that nobody reported; others find no way to', async () => {
  const { forge, ada, stranger } = await setUp()
  const list = `/${REPO}/security/advisories`
  const manager = await forge.browser('ada')
  expect((await manager.open(list)).html).toContain(`href="${list}/new"`)
  const form = await manager.open(`${list}/new`)
  const input = { title: 'Open door', description: 'It has **no** lock.', severity: 'critical' }
  const empty = await manager.press(form.html, `${list}/new`, { ...input, title: ' ' })
  expect([empty.status, empty.html.includes('no</strong> lock')]).toEqual([422, false])
  expect(empty.html).toContain('It has **no** lock.')
  const sent = await manager.press(form.html, `${list}/new`, input)
  const [, id = ''] = /\/security\/advisories\/(adv_\w+)$/.exec(sent.location ?? '') ?? []
  const { items } = await forge.call(listAdvisories, ada, { repo: REPO })
  expect(items).toMatchObject([{ id, title: 'Open door', severity: 'critical', state: 'draft' }])
  expect((await manager.open(`${list}/${id}`)).html).toContain('<strong>no</strong> lock')

  expect((await stranger.open(list)).html).not.toContain('Open door')
  expect((await stranger.open(list)).html).not.toContain(`${list}/new`)
  expect((await stranger.open(`${list}/new`)).status).toBe(404)
})

test('the feed has published and withdrawn advisories, and no drafts', async () => {
  const { forge, ada, stranger } = await setUp()
  const make = (title: string) =>
    forge.call(createAdvisory, ada, {
      repo: REPO,
      title,
      description: 'It is **deep**.',
      severity: 'high',
    })
  const { id } = await make('Open hole')
  await make('Still a draft')
  await forge.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  const feed = await stranger.open(`/${REPO}/security/advisories.atom`)
  expect(feed.html).toContain('<title>Open hole</title>')
  expect(feed.html).toContain(`/security/advisories/${id}`)
  expect(feed.html).not.toContain('Still a draft')
  await forge.call(updateAdvisory, ada, { repo: REPO, id, state: 'withdrawn' })
  const later = await stranger.open(`/${REPO}/security/advisories.atom`)
  expect(later.html).toContain('<title>Withdrawn: Open hole</title>')
})

test('a published advisory is downloaded in the format of OSV, and a draft is not', async () => {
  const { forge, ada, stranger } = await setUp()
  const browser = await forge.browser('ada')
  const { id } = await forge.call(createAdvisory, ada, {
    repo: REPO,
    title: 'Open hole',
    description: 'It is **deep**.',
    severity: 'high',
    cve: 'CVE-2026-12345',
    packages: [
      { type: 'npm', name: 'left', vulnerable: '>= 1.0.0, < 1.2.3 || = 2.0.0', patched: null },
    ],
  })
  const path = `/${REPO}/security/advisories/${id}`
  for (const visitor of [browser, stranger])
    expect((await visitor.open(`${path}.json`)).status).toBe(404)
  await forge.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  expect((await stranger.open(path)).html).toContain(`href="${path}.json"`)
  const { html, headers } = await stranger.open(`${path}.json`)
  expect(headers.get('content-type')).toBe('application/json')
  expect(JSON.parse(html)).toMatchObject({ id, summary: 'Open hole', details: 'It is **deep**.' })
  // What others import is what counts here.
  expect(readAdvisory(JSON.parse(html))).toMatchObject({
    id,
    summary: 'Open hole',
    severity: 'high',
    aliases: ['CVE-2026-12345'],
    withdrawn: null,
    affected: [
      {
        ecosystem: 'npm',
        name: 'left',
        ranges: [
          [
            ['introduced', '1.0.0'],
            ['fixed', '1.2.3'],
          ],
        ],
        versions: ['2.0.0'],
      },
    ],
  })
  await forge.call(updateAdvisory, ada, { repo: REPO, id, state: 'withdrawn' })
  const withdrawn = JSON.parse((await stranger.open(`${path}.json`)).html)
  expect(readAdvisory(withdrawn).withdrawn).toBe(withdrawn.modified)
})

test('an address that opens a report is in no log', async () => {
  const { world } = await makeReportWorld()
  const site = serveSite(world)
  for (const path of [`${REPORTS}/follow/hush-hush`, '/notifications/unsubscribe/hush-hush'])
    await fetch(site.url + path)
  expect(site.lines.join()).toContain(`${REPORTS}/follow/[redacted]`)
  expect(site.lines.join()).not.toContain('hush')
})
