import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SignedIn } from '#core/caller.ts'
import { askAgent } from '#features/agents/ask-agent.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { updateComment } from '#features/issues/comments/update-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { lockIssue } from '#features/issues/lock-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { remember } from '#features/memory/remember.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { createRelease } from '#features/releases/create-release.ts'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { setWikiPage } from '#features/wiki/set-wiki-page.ts'
import { randomBase62 } from '#lib/hash.ts'
import { Refusal } from '#lib/errors.ts'
import { makeSecretsWorld } from './fixture.ts'

const FORMATS: readonly ((random: string) => string)[] = [
  (random) => `ghp_${random.slice(0, 36)}`,
  (random) => `glpat-${random.slice(0, 20)}`,
  (random) => `sk-ant-api03-${random}`,
  (random) => `hf_${random.slice(0, 34)}`,
  (random) => `npm_${random.slice(0, 36)}`,
]
const repo = 'acme/site'

type Place = readonly [name: string, isRedacted: boolean, send: (text: string) => Promise<unknown>]

async function setUp() {
  const { world, ada, bob } = await makeSecretsWorld()
  await world.call(createIssue, ada, { repo, title: 'One' })
  const { id } = await world.call(addComment, ada, { repo, number: 1, body: 'Hello' })
  await world.call(createPull, ada, { repo, title: 'Work' })
  await world.commit(`${repo}/pull/2`, 'main', { 'a.txt': 'a\n' }, { as: ada })
  await world.jobs()
  await world.call(createWebhook, ada, { repo, url: 'https://hooks.example/x', events: [] })
  const on = { repo, number: 2 }
  const say = (as: SignedIn, body: string) => world.call(addComment, as, { repo, number: 1, body })
  const entry = (text: string, data?: Record<string, unknown>) =>
    world.call(appendSession, ada, {
      ...on,
      entries: [{ kind: 'note', text, ...(data && { data }) }],
    })
  const places: Place[] = [
    ['issue title', false, (text) => world.call(createIssue, ada, { repo, title: text })],
    ['issue body', false, (body) => world.call(createIssue, ada, { repo, title: 'x', body })],
    ['checks', false, (it) => world.call(createIssue, ada, { repo, title: 'x', checks: [it] })],
    ['edited issue', false, (body) => world.call(updateIssue, ada, { repo, number: 1, body })],
    ['comment', false, (body) => say(ada, body)],
    ['edited comment', false, (body) => world.call(updateComment, ada, { repo, id, body })],
    ['reason', false, (reason) => world.call(lockIssue, ada, { repo, number: 1, reason } as never)],
    ['pull title', false, (title) => world.call(createPull, ada, { repo, title })],
    ['pull body', false, (body) => world.call(updatePull, ada, { ...on, body })],
    [
      'review',
      false,
      (body) => world.call(reviewPull, bob, { ...on, verdict: 'comment', body } as never),
    ],
    ['session text', true, (text) => entry(text)],
    ['session data', true, (text) => entry('x', { deep: [{ text }] })],
    ['question', true, (text) => world.call(askAgent, ada, { ...on, text })],
    [
      'wiki page',
      false,
      (body) => world.call(setWikiPage, ada, { repo, slug: 'Home', title: 'Home', body } as never),
    ],
    [
      'release',
      false,
      (body) =>
        world.call(createRelease, ada, { repo, tag_name: 'v1', target: 'main', body } as never),
    ],
    ['memory', false, (text) => world.call(remember, ada, { repo, kind: 'fact', text } as never)],
  ]
  return { world, places }
}

/** The raw bytes of the database, with its log. */
const databaseFiles = (data: string): string =>
  readdirSync(data)
    .filter((name) => name.startsWith('hearth.db'))
    .map((name) => readFileSync(join(data, name), 'latin1'))
    .join('\n')

test('two hundred secrets sent as text are refused or taken out, and in no byte of the database', async () => {
  const { world, places } = await setUp()
  const lines: string[] = []
  const keep = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
  const log = { debug: keep, info: keep, warn: keep, error: keep }
  Object.assign(world.hearth, { log })
  const planted: string[] = []
  const wrong: string[] = []
  for (let at = 0; at < 200; at++) {
    const place = places[at % places.length]
    const format = FORMATS[at % FORMATS.length]
    if (!place || !format) throw new Error('no place')
    const secret = format(randomBase62(90))
    planted.push(secret)
    const [name, isRedacted, send] = place
    const end = await send(`see ${secret} here`).then(
      () => 'stored',
      (error: unknown) => (error instanceof Refusal ? error.message : String(error)),
    )
    const isTooLong = name === 'reason' && end.includes('80 characters')
    const isRight = isRedacted ? end === 'stored' : isTooLong || /holds an? /.test(end)
    if (!isRight) wrong.push(`${name}: ${end}`)
  }
  expect([...new Set(wrong)]).toEqual([])
  await world.jobs()
  const events = JSON.stringify(
    world.hearth.db.all('SELECT data FROM events UNION ALL SELECT input FROM jobs'),
  )
  const alerts = world.hearth.db.one<{ n: number }>(
    `SELECT count(DISTINCT alert_id) AS n FROM secret_locations WHERE source = 'session'`,
  )
  const redacted = places.filter(([, isRedacted]) => isRedacted).length
  expect(alerts?.n).toBeGreaterThanOrEqual(Math.floor(200 / places.length) * redacted)
  const everything = [databaseFiles(world.data), events, ...lines].join('\n')
  expect(everything).toContain('[redacted:')
  expect(planted.filter((secret) => everything.includes(secret))).toEqual([])
})
