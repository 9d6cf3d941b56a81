/** The pages of site administration, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { insertJob, job } from '#core/jobs.ts'
import { runForge } from '../../features/oauth/running.ts'

const forge = await runForge()
await forge.user('root', { site_admin: true })
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
const admin = await forge.browser('root')
const member = await forge.browser('ada')
const PLACES = ['/admin', '/admin/settings', '/admin/workspaces', '/admin/jobs', '/admin/mail']

const rowsOf = (html: string): number => html.split('<code class="muted">bgj_').length - 1

test('administrators see every page, and others none', async () => {
  for (const place of PLACES) {
    expect([place, (await admin.open(place)).status]).toEqual([place, 200])
    expect([place, (await member.open(place)).status]).toEqual([place, 403])
  }
  const { html } = await admin.open('/admin')
  expect(html).toContain('There is no backup')
  expect(html).toContain('schema 00')
})

test('a setting is set, refused beside its field, and reset', async () => {
  const page = await admin.open('/admin/settings')
  const refused = await admin.press(page.html, '/admin/settings', {
    'settings.audit.keep_days': '2',
  })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('audit.keep_days takes a whole number from 30')
  expect(refused.html).toContain('value="2"')
  expect(forge.hearth.settings.audit.keep_days).toBe(400)
  const saved = await admin.press(page.html, '/admin/settings', {
    'settings.accounts.sign_up': 'open',
  })
  expect([saved.status, saved.location]).toEqual([303, '/admin/settings'])
  expect(forge.hearth.settings.sign_up).toBe('open')
  const again = await admin.open('/admin/settings')
  expect(again.html).toContain('<option value="open" selected')
  await admin.press(again.html, '/admin/settings', { 'settings.accounts.sign_up': '' })
  expect(forge.hearth.settings.sign_up).toBe('invite')
  // Two changes were made, and two are in the log: what was left as it was is not.
  expect(
    forge.hearth.db.all(`SELECT 1 FROM audit_log WHERE action = 'site.settings_changed'`).length,
  ).toBe(2)
})

test('quotas are set in mebibytes', async () => {
  const { html } = await admin.open('/admin/workspaces')
  const [, link = ''] = /<a href="([^"]+)">Quotas of acme<\/a>/.exec(html) ?? []
  const page = await admin.open(link)
  expect(
    (
      await admin.press(page.html, '/admin/workspaces/quota', {
        workspace: 'acme',
        repositories: '3',
        repos_mib: '10',
        packages_mib: '20',
        run_minutes: '600',
        members: '',
      })
    ).status,
  ).toBe(303)
  expect(
    forge.hearth.db.one(
      'SELECT repositories, repos_bytes, packages_bytes, lfs_bytes, run_minutes, members FROM quotas',
    ),
  ).toEqual({
    repositories: 3,
    repos_bytes: 10 * 1024 ** 2,
    packages_bytes: 20 * 1024 ** 2,
    lfs_bytes: null,
    run_minutes: 600,
    members: null,
  })
  expect((await admin.open('/admin/workspaces')).html).toMatch(
    /0 minutes of runs this month of 600/,
  )
  const refused = await admin.press(page.html, '/admin/workspaces/quota', {
    workspace: 'acme',
    repositories: 'many',
    repos_mib: '',
    members: '',
  })
  expect([refused.status, refused.html.includes('Enter a whole number, or nothing.')]).toEqual([
    422,
    true,
  ])
})

test('a failed job runs again', async () => {
  const id = await forge.write((tx) =>
    insertJob(tx.db, job<null>({ kind: 'gone', retry: [], run: () => {} }), null, tx.now_ms),
  )
  await forge.jobs()
  const page = await admin.open('/admin/jobs?state=failed')
  expect(page.html).toContain('no job is called gone')
  expect((await admin.press(page.html, '/admin/jobs/retry', { id })).status).toBe(303)
})

test('each page of jobs is full, failed jobs come first, and idle ones are counted apart', async () => {
  const failing = job<null>({ kind: 'early', retry: [], run: () => {} })
  await forge.write((tx) => insertJob(tx.db, failing, null, tx.now_ms))
  await forge.jobs()
  const later = job<number>({ kind: 'later', retry: [], run: () => {} })
  const sweep = { key: 'sweep', delay_ms: 3_600_000 }
  await forge.write((tx) => {
    for (let at = 0; at < 40; at++) insertJob(tx.db, later, at, tx.now_ms, { delay_ms: 3_600_000 })
    for (let at = 0; at < 50; at++)
      insertJob(tx.db, { ...later, kind: `idle_${at}` }, 0, tx.now_ms, sweep)
  })
  const { html } = await admin.open('/admin/jobs')
  expect(Buffer.byteLength(html)).toBeLessThan(100_000)
  const [listed = '', folded = ''] = html.split('<details class="more">')
  expect([rowsOf(listed), listed.split('no job is called').length - 1]).toEqual([30, 2])
  expect(listed.indexOf('no job is called early')).toBeLessThan(listed.indexOf('>later<'))
  expect([rowsOf(folded), folded.includes('>50 idle recurring jobs<')]).toEqual([50, true])
  const second = (await admin.open('/admin/jobs?page=2')).html
  expect([rowsOf(second), second.includes('idle recurring')]).toEqual([12, false])
  const waiting = (await admin.open('/admin/jobs?state=waiting')).html
  expect([rowsOf(waiting), waiting.includes('idle recurring')]).toEqual([30, false])
})

test('a job shows the beginning of a long error, and a link shows all of it', async () => {
  const error = `${'the disk is full, '.repeat(80)}at the last block`
  await forge.write((tx) => tx.db.run(`UPDATE jobs SET error = ? WHERE state = 'failed'`, error))
  const { html } = await admin.open('/admin/jobs?state=failed')
  expect(html).not.toContain('at the last block')
  const [, href = ''] = /href="([^"]*whole=[^"]+)"/.exec(html) ?? []
  const whole = (await admin.open(href.replaceAll('&amp;', '&'))).html
  expect(whole.split('at the last block').length - 1).toBe(1)
})

test('a test message is sent and an address is fetched, and errors are shown', async () => {
  const page = await admin.open('/admin/mail')
  const sent = await admin.press(page.html, '/admin/mail', { to: 'root@example.com' })
  expect([sent.status, sent.html.includes('the message is a file in')]).toEqual([200, true])
  const blocked = await admin.press(page.html, '/admin/mail/outbound', { url: 'https://10.0.0.1/' })
  expect([
    blocked.status,
    blocked.html.includes('not a public address'),
    blocked.html.includes('value="https://10.0.0.1/"'),
  ]).toEqual([422, true, true])
})
