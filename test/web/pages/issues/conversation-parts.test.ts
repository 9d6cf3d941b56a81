/**
 * Long conversations come in parts of less than 100 KB, which together have everything once and in
 * order, and every link to a comment leads to the part that has it.
 */
import { expect, test } from 'bun:test'
import {
  addComment,
  closeIssue,
  createIssue,
  deleteComment,
  reopenIssue,
} from '#features/issues/index.ts'
import { createPull, reviewPull } from '#features/pulls/index.ts'
import { localPath } from '#web/paths.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const MAX_PAGE_BYTES = 100_000
const COMMENTS = 250
const forge = await runForge()
const ada = await forge.user('ada')
const otto = await forge.user('otto')
await forge.workspace('acme', { owner: ada, members: [otto] })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'a.txt': 'one\ntwo\nthree\n' })
await forge.commit(REPO, 'topic', { 'a.txt': 'one\n2\nthree\n' })
const reader = await forge.browser('ada')

/** A paragraph, code and a list, as people write them. */
const TEXT = `I saw this with \`step: 30\`, too. ${'It happens on each second start. '.repeat(10)}

\`\`\`ts
const target = 230
\`\`\`

- first
- second
`

async function open(address: string): Promise<string> {
  const { status, html } = await reader.open(address)
  expect([address, status]).toEqual([address, 200])
  expect([address, Buffer.byteLength(html) < MAX_PAGE_BYTES]).toEqual([address, true])
  return html
}

const linkTo = (html: string, name: string): string | null => {
  const link = new RegExp(
    `<a class="btn btn-plain" href="([^"]+)"[^>]*>(?:<svg.*?</svg>)?(?:<span>)?${name}<`,
  ).exec(html)
  return link?.[1]?.replaceAll('&amp;', '&') ?? null
}

const numbersIn = (html: string): number[] =>
  [...html.matchAll(/<p>Comment (\d+)\./g)].map(([, number]) => Number(number))

/** The numbers of the comments of all parts, from a page on by the links of a name. */
async function walk(html: string, name: string): Promise<number[][]> {
  const parts = [numbersIn(html)]
  for (let next = linkTo(html, name); next !== null; next = linkTo(html, name)) {
    html = await open(next)
    parts.push(numbersIn(html))
    expect(parts.length).toBeLessThan(COMMENTS)
  }
  return parts
}

const ALL = Array.from({ length: COMMENTS }, (_, at) => at + 1)

async function longIssue() {
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'It squeaks' })
  const ids: string[] = []
  for (const at of ALL) {
    const { id } = await forge.call(addComment, at % 3 === 0 ? otto : ada, {
      repo: REPO,
      number,
      body: `Comment ${at}. ${TEXT}`,
    })
    ids.push(id)
    if (at % 50 === 0) {
      await forge.call(closeIssue, ada, { repo: REPO, number })
      await forge.call(reopenIssue, ada, { repo: REPO, number })
    }
  }
  return { number, ids, here: `/${REPO}/issues/${number}` }
}

test('the parts of an issue have each comment and event once, in both directions', async () => {
  const { here } = await longIssue()
  const last = await open(here)
  expect(numbersIn(last).at(-1)).toBe(COMMENTS)
  expect(linkTo(last, 'Later')).toBeNull()
  expect(last).toContain('opened this')

  const back = await walk(last, 'Earlier')
  expect(back.length).toBeGreaterThan(5)
  expect(back.toReversed().flat()).toEqual(ALL)

  const first = await open(linkTo(last, 'Beginning') ?? '')
  expect(linkTo(first, 'Earlier')).toBeNull()
  expect((await walk(first, 'Later')).flat()).toEqual(ALL)
  let closed = 0
  for (let html: string | null = first; html !== null; ) {
    closed += html.split('closed this as completed').length - 1
    const next: string | null = linkTo(html, 'Later')
    html = next === null ? null : await open(next)
  }
  expect(closed).toBe(COMMENTS / 50)
})

test('the part of a comment is named by its id, and forms stay in it', async () => {
  const { here, ids, number } = await longIssue()
  const id = ids[40] ?? ''
  const part = await open(`${here}?at=${id}`)
  expect(numbersIn(part)[0]).toBe(41)
  expect(linkTo(part, 'Latest')).toBe(here)

  const editing = await open(`${here}?at=${id}&edit=${id}`)
  const action = /action="([^"]+\/comments\/edit[^"]*)"/.exec(editing)?.[1] ?? ''
  const saved = await reader.press(editing, action.replaceAll('&amp;', '&'), {
    text: 'Comment 41. Changed.',
  })
  expect([saved.status, saved.location]).toEqual([303, `${here}?at=${id}#${id}`])
  expect(numbersIn(await open(saved.location.split('#')[0] ?? ''))[0]).toBe(41)
  // The link to edit works from elsewhere too, and so does that to a comment that is gone.
  expect(await open(`${here}?edit=${id}`)).toContain('Changed.</textarea>')
  await forge.call(deleteComment, ada, { repo: REPO, id })
  expect(numbersIn(await open(`${here}?at=${id}`))[0]).toBe(42)
  // A comment near the end is in the last part.
  expect(numbersIn(await open(`${here}?at=${ids.at(-1)}`))).toEqual(numbersIn(await open(here)))
  expect(await open(`/${REPO}/issues/${number}?from=nonsense&at=cmt_x`)).toContain('Comment 250.')
})

test('links of the site to a comment name it to the server', () => {
  expect(localPath('https://hearth.example/acme/site/issues/1#cmt_x')).toBe(
    '/acme/site/issues/1?at=cmt_x#cmt_x',
  )
  expect(localPath('http://localhost:3000/acme/site/pull/1?w=1#rvw_x')).toBe(
    '/acme/site/pull/1?w=1&at=rvw_x#rvw_x',
  )
  expect(localPath('/acme/site/blob/main/a.md#L3')).toBe('/acme/site/blob/main/a.md#L3')
})

test('a short conversation is whole', async () => {
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'Short' })
  for (const at of [1, 2, 3])
    await forge.call(addComment, ada, { repo: REPO, number, body: `Comment ${at}.` })
  const html = await open(`/${REPO}/issues/${number}`)
  expect(numbersIn(html)).toEqual([1, 2, 3])
  expect(html).not.toContain('timeline-more')
  expect(html).not.toContain('data-part-of')
})

test('threads and reviews of a pull request are in the parts of their time', async () => {
  const { pull } = await forge.call(createPull, ada, { repo: REPO, branch: 'topic', title: 'Two' })
  const { number } = pull
  const here = `/${REPO}/pull/${number}`
  const replies: string[] = []
  for (let at = 1; at <= 60; at++) {
    await forge.call(addComment, otto, {
      repo: REPO,
      number,
      body: `Comment ${at * 3 - 2}. ${TEXT}`,
    })
    const root = await forge.call(addComment, otto, {
      repo: REPO,
      number,
      body: `Comment ${at * 3 - 1}. ${TEXT}`,
      path: 'a.txt',
      line: 2,
    })
    const reply = await forge.call(addComment, ada, {
      repo: REPO,
      number,
      body: `Agreed with ${at}.`,
      in_reply_to: root.id,
    })
    replies.push(reply.id)
    await forge.call(reviewPull, otto, {
      repo: REPO,
      number,
      verdict: 'comment',
      body: `Comment ${at * 3}. ${TEXT}`,
    })
  }
  const last = await open(here)
  const parts = await walk(last, 'Earlier')
  expect(parts.length).toBeGreaterThan(3)
  expect(parts.toReversed().flat()).toEqual(Array.from({ length: 180 }, (_, at) => at + 1))
  // A reply is in the part of its thread.
  expect(await open(`${here}?at=${replies[4]}`)).toContain(`id="${replies[4]}"`)
})
