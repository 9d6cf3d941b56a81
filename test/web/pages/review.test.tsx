/**
 * The pages of a review, as browsers without a script use them: comments on lines, a review of
 * several, suggestions, and what follows.
 */
import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/index.ts'
import { createPull, getPull, markPullReady } from '#features/pulls/index.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { diffAnchor } from '#web/components/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const lines = (change: Record<number, string> = {}) =>
  `${Array.from({ length: 20 }, (_, at) => change[at + 1] ?? `line ${at + 1}`).join('\n')}\n`

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': lines(), 'b.txt': 'b\n' })
  const { pull } = await forge.call(createPull, bob, { repo: REPO, title: 'Change it' })
  const number = pull.number
  await forge.commit(
    `${REPO}/pull/${number}`,
    'main',
    { 'a.txt': lines({ 3: 'three', 12: 'twelve' }) },
    { as: bob },
  )
  await forge.call(markPullReady, bob, { repo: REPO, number, summary: 'Done' })
  const here = `/${REPO}/pull/${number}`
  const detail = () => forge.call(getPull, ada, { repo: REPO, number })
  return {
    forge,
    ada,
    bob,
    number,
    here,
    detail,
    reviewer: await forge.browser('ada'),
    author: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

const linkAt = (html: string, line: number) =>
  (new RegExp(`href="([^"]*[?;]on=d[0-9a-z]+R${line})"`).exec(html)?.[1] ?? '').replaceAll(
    '&amp;',
    '&',
  )

test('several line comments are sent with one review', async () => {
  const { reviewer, author, visitor, here, detail } = await setUp()
  const changes = await reviewer.open(`${here}/changes`)
  expect((await visitor.open(`${here}/changes`)).html).not.toContain('?on=')
  for (const [line, body] of [
    [3, 'First'],
    [12, 'Second'],
  ] as const) {
    const form = await reviewer.open(`${here}/changes${linkAt(changes.html, line)}`)
    expect(form.html).toContain(`Comment on line ${line}`)
    expect((await reviewer.press(form.html, `${here}/lines`, { body, then: 'draft' })).status).toBe(
      303,
    )
  }
  const kept = await reviewer.open(`${here}/changes`)
  expect(kept.html).toContain('<span class="count">2<span class="unseen"> pending comments')
  expect((await author.open(`${here}/changes`)).html).not.toContain('Second')
  const empty = await reviewer.press(kept.html, `${here}/reviews/finish`, {
    verdict: 'request_changes',
    review: '',
  })
  expect([empty.status, empty.html.includes('needs a body')]).toEqual([422, true])
  const sent = await reviewer.press(kept.html, `${here}/reviews/finish`, {
    verdict: 'request_changes',
    review: 'Not yet',
  })
  expect([sent.status, sent.location]).toEqual([303, here])
  expect(await detail()).toMatchObject({
    reviews: [{ verdict: 'request_changes', comments: [expect.any(String), expect.any(String)] }],
    blockers: [{ code: 'changes_requested' }],
  })
  const shown = (await author.open(`${here}/changes`)).html
  expect([shown.includes('First'), shown.includes('Second'), shown.includes('Pending')]).toEqual([
    true,
    true,
    false,
  ])
})

test('a refused comment is shown at its line with the typed text', async () => {
  const { reviewer, here } = await setUp()
  const form = await reviewer.open(
    `${here}/changes${linkAt((await reviewer.open(`${here}/changes`)).html, 3)}`,
  )
  const refused = await reviewer.press(form.html, `${here}/lines`, {
    body: 'Kept words',
    start_line: '9',
    then: 'now',
  })
  expect([
    refused.status,
    refused.html.includes('Kept words'),
    refused.html.includes('start_line'),
  ]).toEqual([422, true, true])
})

test('the author replies, applies suggestions together, and resolves', async () => {
  const { forge, ada, author, reviewer, number, here, detail } = await setUp()
  const suggest = (line: number, text: string) =>
    forge.call(addComment, ada, {
      repo: REPO,
      number,
      path: 'a.txt',
      line,
      body: `\`\`\`suggestion\n${text}\n\`\`\``,
    })
  const [one, two] = [await suggest(3, 'THREE'), await suggest(12, 'TWELVE')]
  const before = (await detail()).revision
  const page = await author.open(`${here}/changes`)
  expect((await reviewer.open(`${here}/changes`)).html).not.toContain('Commit suggestion')
  await author.press(page.html, `${here}/threads/reply`, { in_reply_to: one.id, body: 'Gladly' })
  expect(
    (await author.press(page.html, `${here}/suggestions`, { comments: [one.id, two.id] })).status,
  ).toBe(303)
  expect((await detail()).revision).toBe(before + 1)
  const after = (await author.open(here)).html
  expect(after.match(/Applied in/g)).toHaveLength(2)
  expect(after).toContain('Gladly')
  await author.press(after, `${here}/threads/resolve`, { comment_id: one.id, resolved: 'yes' })
  expect((await author.open(here)).html).toContain('Resolved conversation')
})

test('files are marked as viewed, reactions added and removed', async () => {
  const { forge, ada, reviewer, number, here, detail } = await setUp()
  const page = await reviewer.open(`${here}/changes`)
  const marked = await reviewer.press(page.html, `${here}/viewed`, {
    path: 'a.txt',
    viewed: 'yes',
    back: 'https://evil.test/',
  })
  expect(marked.location).toBe(`${here}/changes#${diffAnchor('a.txt')}`)
  const seen = (await reviewer.open(`${here}/changes`)).html.replace(/\s+/g, ' ')
  expect([seen.includes('Viewed'), seen.includes('1 of 1 viewed')]).toEqual([true, true])
  const { id } = await forge.call(addComment, ada, { repo: REPO, number, body: 'Nice' })
  const hearts = async () => (await detail()).comments[0]?.reactions.heart
  for (const wanted of [1, 0]) {
    await reviewer.press((await reviewer.open(here)).html, `${here}/comments/${id}/react`, {
      content: 'heart',
    })
    expect(await hearts()).toBe(wanted)
  }
})

test('the branch is updated, auto-merge merges it, and the merge is undone', async () => {
  const { forge, ada, author, reviewer, here, number, detail } = await setUp()
  await forge.call(updateRepoSettings, ada, { repo: REPO, required_approvals: 1 })
  await forge.commit(REPO, 'main', { 'b.txt': 'moved\n' })
  expect((await reviewer.open(here)).html).not.toContain('Rebase</span>')
  expect((await author.press((await author.open(here)).html, `${here}/update`, {})).status).toBe(
    303,
  )
  expect((await detail()).behind.by).toBe(0)
  expect(
    (await reviewer.press((await reviewer.open(here)).html, `${here}/auto-merge`, { on: 'yes' }))
      .status,
  ).toBe(303)
  await reviewer.press((await reviewer.open(here)).html, `${here}/reviews`, { verdict: 'approve' })
  await forge.hearth.jobs.idle()
  expect((await detail()).status).toBe('merged')
  const reverted = await reviewer.press((await reviewer.open(here)).html, `${here}/revert`, {})
  expect(reverted.location).toBe(`/${REPO}/pull/${number + 1}`)
})
