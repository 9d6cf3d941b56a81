/** Locking a conversation from its page, as a keyboard does it. */
import { expect, test } from 'bun:test'
import { createIssue, getIssue } from '#features/issues/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.user('otto')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'It squeaks' })
const here = `/${REPO}/issues/${number}`
const issue = async () => (await forge.call(getIssue, ada, { repo: REPO, number })).issue

test('a conversation is locked with a proposed or any short reason, and unlocked', async () => {
  const browser = await forge.browser('ada')
  const { html } = await browser.open(here)
  expect([...html.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value)).toEqual(
    expect.arrayContaining(['off topic', 'too heated', 'resolved', 'spam']),
  )
  expect(await browser.press(html, `${here}/lock`, { reason: 'Too heated' })).toMatchObject({
    status: 303,
    location: here,
  })
  expect(await issue()).toMatchObject({ locked: true, lock_reason: 'too_heated' })
  const reader = await (await forge.browser('otto')).open(here)
  expect(reader.html).toContain('This conversation is locked: too heated.')
  expect(reader.html).not.toContain(`${here}/lock`)

  const locked = await browser.open(here)
  await browser.press(locked.html, `${here}/lock`, {})
  expect(await issue()).toMatchObject({ locked: false, lock_reason: null })

  const open = await browser.open(here)
  await browser.press(open.html, `${here}/lock`, { reason: ' Wait for the release ' })
  expect(await issue()).toMatchObject({ locked: true, lock_reason: 'Wait for the release' })
})

test('a reason that is too long comes back beside its field', async () => {
  const browser = await forge.browser('ada')
  const other = await forge.call(createIssue, ada, { repo: REPO, title: 'Another' })
  const at = `/${REPO}/issues/${other.number}`
  const { html } = await browser.open(at)
  const refused = await browser.press(html, `${at}/lock`, { reason: 'x'.repeat(81) })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('lock-reason-error')
  expect(refused.html).toContain('x'.repeat(81))
  expect((await forge.call(getIssue, ada, { repo: REPO, number: other.number })).issue.locked).toBe(
    false,
  )
})
