/** A commit with hundreds of statuses: those that need somebody come first, and all are reached. */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { runForge } from '../../../features/oauth/running.ts'

const COUNT = 200
const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'a.txt': 'a\n' }, { as: ada })
await forge.commit(REPO, 'topic', { 'b.txt': 'b\n' }, { as: ada })
const { pull } = await forge.call(createPull, ada, { repo: REPO, title: 'Mend', branch: 'topic' })
const sha = pull.head?.sha ?? ''
const name = (at: number) => `build ${at} (linux, "x64", a & b)`
const stateOf = (at: number) => (at % 50 === 7 ? 'failure' : at % 50 === 9 ? 'pending' : 'success')
for (let at = 0; at < COUNT; at++)
  await forge.call(setCommitStatus, ada, {
    repo: REPO,
    sha,
    context: name(at),
    state: stateOf(at),
    description:
      'What the job says of itself, in a hundred characters or so, as many services do. '.repeat(2),
    target_url: `https://ci.example/${'path/'.repeat(30)}${at}`,
  })
const URGENT = [...'ffffpppp'].map((letter) => (letter === 'f' ? 'failure' : 'pending'))
const browser = await forge.browser('ada')
const contexts = (html: string): number[] =>
  [...html.matchAll(/>build (\d+) \(linux/g)].map(([, at]) => Number(at))

const PAGES = [`pull/${pull.number}`, `pull/${pull.number}/checks`, `commit/${sha}`]
test.each(PAGES)('%s is small, and has the failed ones first', async (path) => {
  const { status, html } = await browser.open(`/${REPO}/${path}`)
  expect([status, Buffer.byteLength(html) < 100_000]).toEqual([200, true])
  const shown = contexts(html)
  if (shown.length === 0) return
  expect(html).toContain('4 failed, 4 running, 192 passed')
  expect(shown.slice(-10, -2).map(stateOf)).toEqual(URGENT)
  expect(html).toMatch(/href="[^"]*\/statuses(\?pull=\d+)?">Show all 200</)
})

test('the page of all has each status once, in the same order', async () => {
  const found: number[] = []
  let next: string | undefined = `/${REPO}/commit/${sha}/statuses?pull=${pull.number}`
  while (next !== undefined) {
    const { status, html } = await browser.open(next)
    expect([status, Buffer.byteLength(html) < 100_000]).toEqual([200, true])
    found.push(...contexts(html))
    next = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(new Set(found).size).toBe(COUNT)
  expect(found).toHaveLength(COUNT)
  expect(found.slice(0, 8).map(stateOf)).toEqual(URGENT)
})

test('a commit without statuses says what belongs here', async () => {
  const { html } = await browser.open(`/${REPO}/commit/main/statuses`)
  expect(html).toContain('No statuses')
})
