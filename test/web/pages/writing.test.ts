/** Help for those who write: previews and completion. */
import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada, members: [await forge.user('adam')] })
await forge.repo(REPO, { as: ada, private: true })
const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'The door squeaks' })
const browser = await forge.browser('ada')

test('a preview renders the text and stores nothing', async () => {
  const page = await browser.open(`/${REPO}/issues/${number}`)
  const address =
    /formaction="(\/-\/preview[^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect(page.html).toMatch(/<button type="submit"[^>]* formtarget="_blank"/)
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
  const sent = new FormData()
  for (const [name, value] of [
    ['csrf', csrf],
    ['body', `**Oil** #${number} <img src=x onerror=alert(1)>`],
  ] as const)
    sent.set(name, value)
  const shown = await browser.send(address, sent)
  expect([
    shown.status,
    shown.html.includes('<strong>Oil</strong>'),
    shown.html.includes(`/${REPO}/issues/${number}"`),
    shown.html.includes('onerror='),
  ]).toEqual([200, true, true, false])
  expect((await browser.open(`/${REPO}/issues/${number}`)).html).not.toContain('Oil')
  sent.set('csrf', 'guessed')
  expect((await browser.send(address, sent)).status).toBe(403)
})

test('completion of names and numbers requires access to the repository', async () => {
  const ask = async (q: string, who = browser) => {
    const { status, html } = await who.open(`/${REPO}/complete?q=${encodeURIComponent(q)}`)
    return status === 200
      ? (JSON.parse(html) as { items: { text: string; detail: string }[] }).items.map(
          ({ text }) => text,
        )
      : status
  }
  expect(await ask('@ad')).toEqual(['@ada', '@adam'])
  expect(await ask('@nobody')).toEqual([])
  expect([
    await ask('#'),
    await ask(`#${number}`),
    await ask('#squeaks'),
    await ask('#nothing'),
  ]).toEqual([[`#${number}`], [`#${number}`], [`#${number}`], []])
  await forge.user('eve')
  expect(await ask('@ad', await forge.browser('eve'))).toBe(404)
})
