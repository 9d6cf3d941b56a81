import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { setPackageUpstream } from '#features/packages/upstreams/set-package-upstream.ts'
import { createRunner } from '#features/runners/create-runner.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { listWebhooks } from '#features/webhooks/list-webhooks.ts'
import { pingWebhook } from '#features/webhooks/ping-webhook.ts'
import { randomBase62 } from '#lib/hash.ts'
import { runForge } from '../../oauth/running.ts'

const repo = 'acme/site'
const workspace = 'acme'

/** The bytes of every file below a directory. */
const filesBelow = (directory: string): Buffer[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path))

/** A text in the encodings that programs write it in. */
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]

async function startForge() {
  const received: string[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      // The models of an integration are asked with its secret; a delivery holds none.
      if (new URL(request.url).pathname.startsWith('/hook'))
        received.push(JSON.stringify([...request.headers]) + (await request.text()))
      return new Response('ok')
    },
  })
  const forge = await runForge({
    outbound_allow: ['http://127.0.0.1'],
    integrations_allow: ['http://127.0.0.1'],
  })
  const lines: string[] = []
  const keep = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
  Object.assign(forge.hearth, { log: { debug: keep, info: keep, warn: keep, error: keep } })
  const ada = await forge.user('ada')
  await forge.workspace(workspace, { owner: ada })
  await forge.repo(repo, { as: ada })
  return { forge, ada, lines, received, receiver, address: `http://127.0.0.1:${receiver.port}` }
}

test('secrets in settings are in no file, answer, delivery, page or line of the log', async () => {
  const { forge, ada, lines, received, receiver, address } = await startForge()
  const planted: string[] = []
  const plant = (): string => {
    const secret = `ghp_${randomBase62(36)}`
    planted.push(secret)
    return secret
  }
  const answers: unknown[] = []
  for (let round = 0; round < 5; round++) {
    const hook = await forge.call(createWebhook, ada, {
      repo,
      url: `${address}/hook${round}`,
      events: [],
      secret: plant(),
    })
    // Only the answer that makes a webhook shows its secret.
    answers.push(await forge.call(pingWebhook, ada, { repo, id: hook.id }))
    answers.push(
      await forge.call(setSecret, ada, { repo, setting: `REPO_${round}`, value: plant() }),
      await forge.call(setSecret, ada, { workspace, setting: `ALL_${round}`, value: plant() }),
      await forge.call(connectIntegration, ada, {
        workspace,
        provider: 'chat_completions',
        name: `models ${round}`,
        config: { base_url: address, models: [{ id: 'small' }] } as never,
        secret: plant(),
      }),
      await forge.call(setPackageUpstream, ada, {
        workspace,
        package_type: 'npm',
        url: `${address}/npm`,
        secret: plant(),
      }),
    )
  }
  answers.push(
    await forge.call(createMirror, ada, {
      repo,
      url: `${address}/site.git`,
      role: 'leader',
      name: 'upstream',
      username: 'ada',
      secret: plant(),
    }),
  )
  // The token of a runner is shown once, where it is created, and stored as a hash.
  const runner = await forge.call(createRunner, ada, { repo, name: 'builder' })
  planted.push(runner.token)
  await forge.jobs()
  answers.push(await forge.call(listWebhooks, ada, { repo }))
  const browser = await forge.browser('ada')
  const pages: string[] = []
  for (const path of [
    `/${repo}/settings/hooks`,
    `/${repo}/settings/variables`,
    `/${repo}/settings/mirror`,
    `/${repo}/settings/runners`,
    `/${workspace}/-/hooks`,
    `/${workspace}/-/variables`,
    `/${workspace}/-/integrations`,
    `/${workspace}/-/packages/upstreams`,
    `/${workspace}/-/packages/upstreams/npm`,
    `/${workspace}/-/audit`,
  ]) {
    const page = await browser.open(path)
    expect([path, page.status]).toEqual([path, 200])
    pages.push(page.html)
  }
  await receiver.stop(true)
  const places: Record<string, readonly Buffer[]> = {
    answers: [Buffer.from(JSON.stringify(answers))],
    events: [Buffer.from(JSON.stringify(forge.hearth.db.all('SELECT * FROM events')))],
    pages: pages.map((page) => Buffer.from(page)),
    deliveries: received.map((text) => Buffer.from(text)),
    log: lines.map((line) => Buffer.from(line)),
    files: filesBelow(forge.data),
  }
  expect(received.length).toBeGreaterThan(0)
  const leaked = planted.flatMap((secret, at) =>
    Object.entries(places).flatMap(([place, all]) =>
      formsOf(secret).some((form) => all.some((bytes) => bytes.includes(form)))
        ? [`${at} in ${place}`]
        : [],
    ),
  )
  expect(leaked).toEqual([])
})
