import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createBackup } from '#features/backups/create-backup.ts'
import { findBackup } from '#features/backups/store.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { randomBase62 } from '#lib/hash.ts'
import { backupSettings, folder } from '../../backups/forge.ts'
import { runForge } from '../../oauth/running.ts'

const repo = 'acme/site'

const FORMATS: readonly ((random: string) => string)[] = [
  (random) => `ghp_${random.slice(0, 36)}`,
  (random) => `glpat-${random.slice(0, 20)}`,
  (random) => `sk-ant-api03-${random}`,
  (random) => `hf_${random.slice(0, 34)}`,
  (random) => `npm_${random.slice(0, 36)}`,
]

/** The bytes of every file below a directory; those of backups without their compression. */
const filesBelow = (directory: string): Buffer[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => {
      const bytes = readFileSync(path)
      return path.endsWith('.zst') ? Buffer.from(Bun.zstdDecompressSync(bytes)) : bytes
    })

async function setUp() {
  const received: string[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      received.push(JSON.stringify([...request.headers]) + (await request.text()))
      return new Response('ok')
    },
  })
  const to = folder()
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'], ...backupSettings({ to }) })
  const lines: string[] = []
  const keep = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
  Object.assign(forge.hearth, { log: { debug: keep, info: keep, warn: keep, error: keep } })
  const ada = await forge.user('ada', { site_admin: true })
  await forge.workspace('acme', { owner: ada })
  await forge.repo(repo, { as: ada })
  await forge.commit(repo, 'main', { 'a.txt': 'a\n' }, { as: ada })
  await forge.call(createWebhook, ada, {
    repo,
    url: `http://127.0.0.1:${receiver.port}/hook`,
    events: [],
  })
  await forge.call(createIssue, ada, { repo, title: 'One' })
  await forge.call(createPull, ada, { repo, title: 'Work' })
  return { forge, ada, lines, received, receiver, to }
}

test('of two hundred secrets of a run none is in rows, log, events, deliveries, pages or backups', async () => {
  const { forge, ada, lines, received, receiver, to } = await setUp()
  const answers: unknown[] = []
  /** Keeps what the caller is told, also of a refusal. */
  const tell = async (answer: Promise<unknown>): Promise<void> => {
    answers.push(
      await answer.catch(({ message, details }: { message: string; details?: unknown }) => [
        message,
        details,
      ]),
    )
  }
  const ways: readonly ((secret: string, at: number) => Promise<void>)[] = [
    (secret) => tell(forge.call(addComment, ada, { repo, number: 1, body: `see ${secret}` })),
    (secret) =>
      tell(
        forge.call(appendSession, ada, {
          repo,
          number: 2,
          entries: [{ kind: 'note', text: `with ${secret} it works`, data: { token: secret } }],
        }),
      ),
    (secret, at) =>
      tell(
        forge.call(createCommit, ada, {
          repo,
          branch: 'main',
          message: 'Configure',
          files: [{ path: `${at}.env`, action: 'put', content: `TOKEN=${secret}\n` }],
        }),
      ),
    (secret, at) =>
      tell(forge.call(createIssue, ada, { repo, title: `Number ${at}`, body: `\`${secret}\`` })),
  ]
  const planted: string[] = []
  for (let at = 0; at < 200; at++) {
    const secret = FORMATS[at % FORMATS.length]?.(randomBase62(90)) ?? ''
    planted.push(secret)
    await ways[at % ways.length]?.(secret, at)
  }
  await forge.jobs()
  answers.push(await forge.call(listSecretAlerts, ada, { repo }))
  const { id } = await forge.call(createBackup, ada, {})
  await forge.jobs()
  expect(findBackup(forge.hearth.db, id)).toMatchObject({ state: 'done', error: null })
  const browser = await forge.browser('ada')
  const pages: string[] = []
  for (const path of [
    `/${repo}/issues`,
    `/${repo}/issues/1`,
    `/${repo}/pull/2`,
    `/${repo}/security`,
    `/${repo}/security/secrets`,
    '/acme/-/audit',
    '/notifications',
  ]) {
    const page = await browser.open(path)
    expect([path, page.status]).toEqual([path, 200])
    pages.push(page.html)
  }
  await receiver.stop(true)
  const rows = forge.hearth.db
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`,
    )
    .map(({ name }) => forge.hearth.db.all(`SELECT * FROM "${name}"`))
  const places: Record<string, readonly Buffer[]> = {
    rows: rows.map((some) => Buffer.from(JSON.stringify(some))),
    answers: answers.map((one) => Buffer.from(JSON.stringify(one))),
    deliveries: received.map((text) => Buffer.from(text)),
    pages: pages.map((page) => Buffer.from(page)),
    log: lines.map((line) => Buffer.from(line)),
    files: filesBelow(forge.data),
    backup: filesBelow(to),
  }
  const all = (place: string): string => (places[place] ?? []).join('\n')
  // What is looked through holds what became of the secrets, so that a search can find something.
  expect(all('answers')).toContain('holds a')
  for (const place of ['rows', 'backup']) expect(all(place)).toContain('[redacted:')
  expect(all('deliveries')).toContain('security.alert_opened')
  const leaked = planted.flatMap((secret, at) =>
    Object.entries(places).flatMap(([place, parts]) =>
      parts.some((bytes) => bytes.includes(secret)) ? [`${at} in ${place}`] : [],
    ),
  )
  expect(leaked).toEqual([])
})
