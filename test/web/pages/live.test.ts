/**
 * Pages that follow what happens: each is told once something of it has changed, and not of what is
 * elsewhere.
 */
import { expect, test } from 'bun:test'
import { addComment, closeIssue, createIssue } from '#features/issues/index.ts'
import { createPull } from '#features/pulls/index.ts'
import { updateRepo } from '#features/repos/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada, private: true })
const reader = await forge.browser('ada')

const addressOf = (html: string): string =>
  /<main[^>]* data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''

/** What a page is told; `ended` when it is to be taken anew. */
async function follow(path: string) {
  const { html } = await reader.open(path)
  const stream = await forge.get(addressOf(html), { cookie: 'hearth=ada-cookie' })
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  const parts = stream.body?.getReader()
  const said: string[] = []
  const ended = (async () => {
    for (let part = await parts?.read(); part && !part.done; part = await parts?.read())
      said.push(new TextDecoder().decode(part.value))
  })()
  return { said: () => said.join(''), ended, html, stop: () => parts?.cancel() }
}

test('the page of an empty repository hears of the first push', async () => {
  const page = await follow(`/${REPO}`)
  expect(page.html).toContain('Waiting for the first push')
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  await page.ended
  expect(page.said()).toContain('event: changed')
  expect(addressOf((await reader.open(`/${REPO}`)).html)).toBe('')
})

test('a conversation hears of new comments and states only', async () => {
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'It squeaks' })
  const other = await forge.call(createIssue, ada, { repo: REPO, title: 'Another' })
  const pull = (await forge.call(createPull, ada, { repo: REPO, title: 'Oil it' })).pull.number
  for (const [path, at] of [
    [`/${REPO}/issues/${number}`, number],
    [`/${REPO}/pull/${pull}`, pull],
  ] as const) {
    const first = await follow(path)
    await forge.call(addComment, ada, { repo: REPO, number: other.number, body: 'Elsewhere' })
    expect(first.said()).not.toContain('changed')
    await forge.call(addComment, ada, { repo: REPO, number: at, body: 'Here' })
    await first.ended
    expect(first.said()).toContain('event: changed')
    // The page as it is now has another state, by which nothing is new.
    const again = await follow(path)
    expect(addressOf(again.html)).not.toBe(addressOf(first.html))
    expect(again.said()).not.toContain('changed')
    await again.stop()
  }
  const page = await follow(`/${REPO}/issues/${number}`)
  await forge.call(closeIssue, ada, { repo: REPO, number })
  await page.ended
  expect(page.said()).toContain('event: changed')
})

test('a session hears of newer entries, for users who may read it', async () => {
  const { number } = (await forge.call(createPull, ada, { repo: REPO, title: 'By an agent' })).pull
  const path = `/${REPO}/pull/${number}/session`
  const page = await follow(path)
  await reader.press(page.html, `${path}/ask`, { question: 'Do you begin?' })
  await page.ended
  expect(page.said()).toContain('event: changed')
  const shown = await reader.open(path)
  expect([shown.html.includes('Do you begin?'), addressOf(shown.html)]).toEqual([
    true,
    `${path}/live?after=1`,
  ])
  await forge.user('eve')
  expect((await (await forge.browser('eve')).open(`${path}/live?after=0`)).status).toBe(404)
})

test('a live page ends soon after the right to read it', async () => {
  const repo = 'acme/open'
  await forge.repo(repo, { as: ada })
  await forge.commit(repo, 'main', { 'a.txt': 'a\n' })
  const { number } = await forge.call(createIssue, ada, { repo, title: 'Seen by all' })
  const stream = await forge.get(`/${repo}/issues/${number}/live?state=x`)
  expect(stream.status).toBe(200)
  await forge.call(updateRepo, ada, { repo, private: true })
  // It ends by itself: a stream that went on would never be read to its end.
  await stream.text()
  expect((await forge.get(`/${repo}/issues/${number}/live?state=x`)).status).toBe(404)
})

test('200 readers of a page load it a few times, not each for each event', async () => {
  const repo = 'acme/busy'
  await forge.repo(repo, { as: ada })
  const { number } = await forge.call(createIssue, ada, { repo, title: 'Watched' })
  const seen = addressOf((await (await forge.browser(null)).open(`/${repo}/issues/${number}`)).html)
  const streams = await Promise.all(Array.from({ length: 200 }, () => forge.get(seen)))
  await Bun.sleep(1_500)
  const before = forge.hearth.metrics.queries
  const startedAt = performance.now()
  for (let count = 0; count < 6; count++)
    await forge.call(addComment, ada, { repo, number, body: `Comment ${count}` })
  const ended = await Promise.all(streams.map((stream) => stream.text()))
  expect(ended.every((text) => text.includes('event: changed'))).toBeTrue()
  // 200 loads of the page are about 6,000 queries; rights are checked every 3 s.
  const seconds = (performance.now() - startedAt) / 1000
  expect(forge.hearth.metrics.queries - before).toBeLessThan(1_500 + 200 * seconds)
})
