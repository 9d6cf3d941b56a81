/**
 * A day of findings with the built executable, the real git, a browser, a workflow and a receiver of
 * webhooks: a push with a key is refused, let through and closed as an alert; a step uploads what a
 * scanner found, and a pull request shows and mends it; a stranger reports a hole.
 */
import { afterAll, expect, test } from 'bun:test'
import { verify } from '@octokit/webhooks-methods'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBase62 } from '#lib/hash.ts'
import { api, claim, git, startForge, visitor, withToken } from './forge.ts'

const HOOK_SECRET = 'the secret of the webhook'

type Call = { readonly type: string; readonly body: string; readonly isSigned: boolean }
const calls: Call[] = []
const waiting = new Map<string, (call: Call) => void>()
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = await request.text()
    const signature = request.headers.get('x-svc-signature-256') ?? ''
    const { type } = JSON.parse(body) as { type: string }
    const call = { type, body, isSigned: await verify(HOOK_SECRET, body, signature) }
    calls.push(call)
    waiting.get(type)?.(call)
    return new Response(null, { status: 204 })
  },
})
afterAll(() => receiver.stop(true))

/** The first delivery of a type, which may have come already. */
const delivered = (type: string): Promise<Call> =>
  new Promise((resolve) => {
    const known = calls.find((call) => call.type === type)
    if (known) resolve(known)
    else waiting.set(type, resolve)
  })

/** Finds each `eval(` with the tools of every machine, and writes SARIF as scanners do. */
const SCANNER = `#!/bin/sh
line=$(grep -n 'eval(' app.js | head -1 | cut -d: -f1)
result=''
if [ -n "$line" ]; then
  result='{"ruleId":"no-eval","level":"error","message":{"text":"eval runs what strangers send"},
    "locations":[{"physicalLocation":{"artifactLocation":{"uri":"app.js"},
    "region":{"startLine":'$line'}}}]}'
fi
cat > results.sarif <<END
{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"grepper"}},"results":[$result]}]}
END
`
const WORKFLOW = `name: Scan
on: [push, pull_request]
permissions:
  contents: read
  security-events: write
jobs:
  scan:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sh scan.sh
      - uses: github/codeql-action/upload-sarif@v3
        with:
          sarif_file: results.sarif
`

async function setUp() {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-security-'))
  writeFileSync(join(directory, 'hearth.toml'), '[jobs]\nnetwork = "none"\n')
  const forge = await startForge({
    directory,
    args: ['--config', 'hearth.toml'],
    environment: { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1', PATH: process.env.PATH ?? '' },
  })
  const owner = await visitor()
  const token = await claim(owner.page, forge)
  const ask = api(forge, token)
  expect(
    (await ask('POST', '/v1/repos', { workspace: 'ada', name: 'site', private: false })).status,
  ).toBe(200)
  const settings = { push_protection: true, secret_scanning: true }
  expect((await ask('PATCH', '/v1/repos/ada/site/settings', settings)).status).toBe(200)
  const hook = { url: `http://127.0.0.1:${receiver.port}/`, secret: HOOK_SECRET }
  expect((await ask('POST', '/v1/repos/ada/site/hooks', hook)).status).toBe(201)
  const work = mkdtempSync(join(tmpdir(), 'hearth-security-work-'))
  const remote = `${withToken(forge.url, token)}/ada/site.git`
  await git(work, 'init', '-q', '-b', 'main')
  mkdirSync(join(work, '.hearth/workflows'), { recursive: true })
  writeFileSync(join(work, '.hearth/workflows/scan.yml'), WORKFLOW)
  writeFileSync(join(work, 'scan.sh'), SCANNER)
  writeFileSync(join(work, 'app.js'), 'const one = 1\n')
  const commit = async (message: string): Promise<void> => {
    await git(work, 'add', '.')
    await git(work, 'commit', '-qm', message)
  }
  await commit('Begin')
  await git(work, 'push', '-q', remote, 'main')
  return { forge, owner, ask, work, remote, commit, site: `${forge.url}/ada/site` }
}
type SetUp = Awaited<ReturnType<typeof setUp>>

/** A push with a key is refused; a person lets it through; its alert is closed. */
async function pushKey({ owner: { page }, work, remote, commit, site }: SetUp): Promise<string> {
  const key = `ghp_${randomBase62(36)}`
  writeFileSync(join(work, 'config.env'), `GITHUB_TOKEN=${key}\n`)
  await commit('Add the configuration')
  const refused = await git(work, 'push', '-q', remote, 'main').then(
    () => '',
    (error: Error) => error.message,
  )
  expect(refused).toContain('config.env:1')
  expect(refused).not.toContain(key)
  const address = /http:\S+\/security\/secrets\/bypass\?placeholder=\S+/.exec(refused)?.[0] ?? ''
  await page.goto(address)
  await page.check('[name=reason][value=used_in_tests]')
  await page.click('main form button:has-text("Bypass push protection")')
  await page.waitForURL((url) => !url.pathname.endsWith('/bypass'))
  await git(work, 'push', '-q', remote, 'main')

  const opened = await delivered('security.alert_opened')
  expect([opened.isSigned, opened.body.includes(key)]).toEqual([true, false])
  await page.goto(`${site}/security/secrets`)
  await page.getByRole('link', { name: 'GitHub token' }).click()
  await page.waitForURL(/\/security\/secrets\/sec_/)
  // The alert opens with the bypass; the scan of the push adds where the secret is.
  const place = page.getByText('config.env').first()
  while ((await place.count()) === 0) await page.reload()
  expect(await place.isVisible()).toBe(true)
  await page.selectOption('[name=resolution]', 'used_in_tests')
  await page.click('main form[action$="/resolve"] button')
  await page.getByText('Resolved').first().waitFor()
  expect(await page.content()).not.toContain(key)
  return key
}

/** A pull request shows what a scanner finds in it, and the next push mends it. */
async function scanPull({ owner: { page }, ask, work, remote, commit, site }: SetUp) {
  await git(work, 'switch', '-qc', 'change')
  writeFileSync(join(work, 'app.js'), 'const one = 1\nconst two = eval(request.body)\n')
  await commit('Read the body')
  await git(work, 'push', '-q', remote, 'change')
  const made = await ask('POST', '/v1/repos/ada/site/pulls', { branch: 'change', title: 'Body' })
  const { number } = (made.body as { pull: { number: number } }).pull
  const pull = `${site}/pull/${number}`
  await page.goto(pull)
  await page.getByText('code scanning / grepper').first().waitFor()
  await page.goto(`${pull}/changes`)
  const annotation = page.locator('.thread-row .line-annotation')
  await annotation.first().waitFor()
  expect(await annotation.first().textContent()).toContain('eval runs what strangers send')

  writeFileSync(join(work, 'app.js'), 'const one = 1\nconst two = Number(request.body)\n')
  await commit('Read a number')
  await git(work, 'push', '-q', remote, 'change')
  const head = (await git(work, 'rev-parse', 'HEAD')).trim()
  const analysed = async () => {
    const { body } = await ask('GET', '/v1/repos/ada/site/code-scanning/analyses')
    return (body as { commit_sha: string }[]).some(({ commit_sha }) => commit_sha === head)
  }
  while (!(await analysed())) await Bun.sleep(50)
  await page.goto(`${pull}/changes`)
  await page.getByText('Number(request.body)').first().waitFor()
  expect(await annotation.count()).toBe(0)
}

/** A stranger without an account reports a hole, and reads on by the link. */
async function reportHole({ site, owner }: SetUp): Promise<void> {
  const stranger = await visitor()
  await stranger.page.goto(`${site}/security`)
  await stranger.page.getByRole('link', { name: 'Report a vulnerability' }).first().click()
  await stranger.page.fill('[name=title]', 'Anybody reads the body')
  await stranger.page.fill('[name=description]', 'Send a body and see.')
  await stranger.page.fill('[name=email]', 'stranger@example.com')
  await stranger.page.waitForFunction(
    () => document.querySelector<HTMLInputElement>('[name=answer]')?.value !== '',
  )
  await stranger.page.click('main form button:has-text("Send report")')
  await stranger.page.waitForURL(/\/security\/reports\/follow\//)
  expect(await stranger.page.textContent('main')).toContain('Anybody reads the body')

  const { body, isSigned } = await delivered('security.report_received')
  expect(isSigned).toBe(true)
  // What a stranger wrote is in no delivery.
  for (const text of ['Anybody reads', 'Send a body', 'stranger@example.com'])
    expect(body).not.toContain(text)
  await owner.page.goto(`${site}/security/reports`)
  await owner.page.getByRole('link', { name: 'Anybody reads the body' }).click()
  await owner.page.getByText('Send a body and see.').waitFor()
  expect(stranger.problems).toEqual([])
  await stranger.context.close()
}

test('a key, a finding of a scanner and a report of a stranger are met and closed', async () => {
  const journey = await setUp()
  const key = await pushKey(journey)
  await scanPull(journey)
  await reportHole(journey)
  expect(calls.filter(({ body, isSigned }) => !isSigned || body.includes(key))).toEqual([])
  expect(journey.owner.problems).toEqual([])
  await journey.owner.context.close()
  expect(await journey.forge.stop()).toBe(0)
  expect(await journey.forge.log()).not.toContain(key)
  rmSync(journey.work, { recursive: true, force: true })
  journey.forge.remove()
}, 180_000)
