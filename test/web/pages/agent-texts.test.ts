/**
 * Texts by agents. What strangers wrote may have told an agent to write them, so a page that shows
 * them sends nothing to another site: no image, no link.
 */
import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/create-agent.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { renderMarkdown } from '../../../web/markdown.ts'
import { runForge } from '../../features/oauth/running.ts'

const SITE = 'https://hearth.test'
const images = { mode: 'off', siteUrl: SITE, key: '', links: 'text' } as const
const BEACONS = [
  '![a](https://evil.example/?s=1)',
  '![](//evil.example/?s=2)',
  '[click](https://evil.example/?s=3)',
  '[here](//evil.example/?s=4)',
  '[here](\\\\evil.example/?s=5)',
  'https://evil.example/?s=6',
  '<https://evil.example/?s=7>',
  '<img src="https://evil.example/?s=8">',
  '<img srcset="https://evil.example/?s=9 2x" src=x>',
  '<picture><source srcset="https://evil.example/?s=10"><img src="x"></picture>',
  '<a href="https://evil.example/?s=11">x</a>',
  '[ref][r]\n\n[r]: https://evil.example/?s=12',
  '[![a](https://evil.example/?s=13)](https://evil.example/?s=14)',
  '[mail](mailto:eve@evil.example?body=15)',
  '<a href="HTTPS://EVIL.example/?s=16">x</a>',
  '# [title](https://evil.example/?s=17)',
  'Note[^1]\n\n[^1]: ![n](https://evil.example/?s=18)',
  '| a |\n| --- |\n| ![t](https://evil.example/?s=19) |',
  '<video src="https://evil.example/?s=20" poster="https://evil.example/?s=21"></video>',
  '<a href=" https://evil.example/?s=22">x</a>',
]
/** Addresses in attributes by which a browser goes, or is led, to the other site. */
const leads = (html: string): string[] =>
  [...html.matchAll(/ (?:href|src|srcset|poster|action|data)="([^"]*)"/gi)]
    .map(([, value = '']) => value.trim().split(' ')[0] ?? '')
    .filter((value) => /evil/i.test(URL.parse(value, SITE)?.href.replace(SITE, '') ?? ''))
    .filter((value) => URL.parse(value, SITE)?.origin !== SITE)

test('no text by an agent leads to another site, and every address is still readable', () => {
  for (const text of BEACONS)
    expect([text, leads(renderMarkdown(text, { images }))]).toEqual([text, []])
  expect(renderMarkdown('[click](https://evil.example/?s=3)', { images })).toContain(
    'click (https://evil.example/?s=3)',
  )
  const own = renderMarkdown(`[docs](${SITE}/docs) [near](/acme) ![own](${SITE}/a.png)`, { images })
  expect(own).toContain(`href="${SITE}/docs"`)
  expect(own).toContain('href="/acme"')
  expect(own).toContain('<img')
})

test('comments, reviews, issues and sessions by agents are shown without a way out', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  await forge.commit('acme/site', 'topic', { 'a.txt': 'b\n' })
  const body = BEACONS.join('\n\n')
  const made = await forge.call(createAgent, ada, { repo: 'acme/site', name: 'bot' })
  const bot = forge.hearth.callers.byToken(made.token.secret ?? '')
  if (bot?.kind !== 'agent') throw new Error('the agent has a token')
  const repo = 'acme/site'
  const issue = await forge.call(createIssue, bot, { repo, title: 'Hm', body })
  const { pull } = await forge.call(createPull, ada, { repo, title: 'Topic', branch: 'topic' })
  for (const number of [issue.number, pull.number])
    await forge.call(addComment, bot, { repo, number, body })
  await forge.call(reviewPull, bot, {
    repo,
    number: pull.number,
    verdict: 'comment',
    body,
    comments: [{ path: 'a.txt', line: 1, body }],
  })
  const { pull: draft } = await forge.call(createPull, bot, { repo, title: 'Mine', body })
  await forge.call(appendSession, bot, {
    repo,
    number: draft.number,
    entries: [
      { kind: 'message', text: body },
      { kind: 'summary', text: body },
    ],
  })
  const browser = await forge.browser('ada')
  for (const path of [
    `issues/${issue.number}`,
    `pull/${pull.number}`,
    `pull/${pull.number}/changes`,
    `pull/${draft.number}`,
    `pull/${draft.number}/session`,
  ]) {
    const { html } = await browser.open(`/acme/site/${path}`)
    expect([path, leads(html)]).toEqual([path, []])
  }
  // A person's links are links.
  await forge.call(addComment, ada, { repo, number: issue.number, body: 'https://evil.example/' })
  const { html } = await browser.open(`/acme/site/issues/${issue.number}`)
  expect(leads(html)).toEqual(['https://evil.example/'])
})
