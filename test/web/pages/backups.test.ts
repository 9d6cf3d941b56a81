/** The page of backups, as a browser without a script uses it. */
import { expect, test } from 'bun:test'
import { backupSettings, folder } from '../../features/backups/forge.ts'
import { runForge } from '../../features/oauth/running.ts'

test('an administrator starts and verifies a backup; nobody else sees the page', async () => {
  const to = folder()
  const forge = await runForge(backupSettings({ to, every_ms: 86_400_000 }))
  await forge.user('ada', { site_admin: true })
  await forge.user('bob')
  const ada = await forge.browser('ada')
  const bob = await forge.browser('bob')
  expect((await bob.open('/admin/backups')).status).toBe(403)
  const empty = await ada.open('/admin/backups')
  for (const words of [to, 'every 24 hours', 'There is no backup yet', 'Set backups.recipients'])
    expect(empty.html).toContain(words)
  const refused = await ada.press(empty.html, '/admin/backups', { name: 'a\u0007b' })
  expect([refused.status, refused.html.includes('one line')]).toEqual([422, true])
  const begun = await ada.press(empty.html, '/admin/backups', { name: 'before <b>the</b> move' })
  expect([begun.status, begun.location]).toEqual([303, '/admin/backups'])
  const waiting = await ada.open('/admin/backups')
  expect(waiting.html).toContain('before &lt;b&gt;the&lt;/b&gt; move')
  expect(waiting.html).toMatch(/<button[^>]*disabled[^>]*><span>Back up now/)
  await forge.jobs()
  const made = await ada.open('/admin/backups')
  expect(made.html).toMatch(/<span>Verify<\/span><\/button>/)
  expect((await ada.press(made.html, '/admin/backups/verify', {})).status).toBe(303)
  await forge.jobs()
  const verified = await ada.open('/admin/backups')
  expect(verified.html).toContain('Restore verified')
  // The page of the status says the same in one line.
  expect((await ada.open('/admin')).html).toContain('The newest backup is')
}, 120_000)
