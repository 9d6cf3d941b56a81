/** Artifacts, summaries and caches on pages, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import type { Feature } from '#core/hearth.ts'
import { createArtifact } from '#features/artifacts/job-artifacts.ts'
import { saveCache } from '#features/artifacts/job-caches.ts'
import { features } from '#features/index.ts'
import { setQuota } from '#features/site/index.ts'
import { finishJob, takeQueuedJob, workflowRunners } from '#features/workflows/index.ts'
import { extend, FILE, ONE_JOB, RUNNER } from '../../features/workflows/fixture.ts'
import { runForge } from '../../features/oauth/running.ts'

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function setUp() {
  const all = features as Feature[]
  const extensions = [
    workflowRunners.with({ name: 'local', accepts: (_, labels) => RUNNER.accepts(labels) }),
  ]
  all.unshift({ name: 'runners of a test', extensions })
  const forge = await runForge()
  all.shift()
  extend(forge.hearth, [])
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { [FILE]: ONE_JOB }, { as: ada })
  await forge.jobs()
  const job = await takeQueuedJob(forge.hearth, RUNNER)
  if (!job) throw new Error('there is no job')
  return {
    ...forge,
    job,
    here: `/acme/site/runs/${job.run.id}`,
    browser: await forge.browser('ada'),
    visitor: await forge.browser(null),
  }
}

test('a run shows its artifacts and summaries; files are downloaded and deleted', async () => {
  const { hearth, job, here, browser, visitor } = await setUp()
  const artifact = { retentionDays: 5, overwrite: false }
  const bytes = piecesOf('PK bytes')
  await createArtifact(hearth, job.id, { ...artifact, name: 'app 1', bytes })
  const summary = '# All green\n\n<script>alert(1)</script>\n\n**12** tests\n'
  await finishJob(hearth, job.id, { conclusion: 'success', reason: null, outputs: {}, summary })

  const { html } = await browser.open(here)
  expect(html).toContain('app 1')
  expect(html).toContain('8 bytes')
  expect(html).toMatch(/<h1[^>]*>.*All green/s)
  expect(html).toContain('<strong>12</strong>')
  expect(html).not.toContain('<script>alert')
  const [path = ''] = /\/acme\/site\/runs\/run_\w+\/artifacts\/art_\w+/.exec(html) ?? []
  const link = await browser.open(path)
  const { pathname } = new URL(link.location ?? '')
  expect([link.status, pathname.startsWith('/_artifact/')]).toEqual([302, true])
  const file = await visitor.open(pathname)
  expect([file.status, file.html]).toEqual([200, 'PK bytes'])

  const seen = await visitor.open(here)
  expect(seen.html).toContain('app 1')
  expect(seen.html).not.toContain(path)
  expect((await browser.open(`${here}/job/${job.id}`)).html).toContain('All green')

  expect((await browser.press(html, `${path}/delete`, {})).status).toBe(303)
  const deleted = await browser.open(here)
  expect(deleted.html).toContain('Artifact deleted.')
  expect(deleted.html).not.toContain('app 1')
})

test('caches are listed with their branch and size, and deleted', async () => {
  const { hearth, job, browser, visitor } = await setUp()
  const path = '/acme/site/runs/caches'
  expect((await browser.open(path)).html).toContain('No caches')
  await saveCache(hearth, job.id, { key: 'npm-<1>', version: 'v', bytes: piecesOf('packed') })
  const { html } = await browser.open(path)
  expect(html).toContain('npm-&lt;1')
  expect(html).toContain('6 bytes')
  expect((await browser.open('/acme/site/runs')).html).toContain(path)
  expect((await visitor.open(path)).html).not.toContain('npm-')
  expect((await browser.press(html, `${path}/delete`, {})).status).toBe(303)
  const deleted = await browser.open(path)
  expect(deleted.html).toContain('Cache deleted.')
  expect(deleted.html).not.toContain('npm-')
})

test('the pages of storage show what runs take, and how far the quota is', async () => {
  const { hearth, job, browser, visitor, call, user } = await setUp()
  const artifact = { retentionDays: 5, overwrite: false }
  await createArtifact(hearth, job.id, { ...artifact, name: 'app', bytes: piecesOf('PK bytes') })
  await saveCache(hearth, job.id, { key: 'npm', version: 'v', bytes: piecesOf('many files') })
  const root = await user('root', { site_admin: true })
  await call(setQuota, root, { workspace: 'acme', actions_bytes: 2048 })

  const here = '/acme/site/settings/run-storage'
  const { html } = await browser.open(here)
  expect(html).toContain('18 bytes together')
  expect(html).toContain('uses 18 bytes of its quota of 2 KiB')
  expect(html).toContain(`/acme/site/runs/${job.run.id}`)
  expect(html).toContain('90 days')
  expect((await browser.open('/acme/site/runs/caches')).html).toContain(`href="${here}"`)
  expect((await visitor.open(here)).status).not.toBe(200)

  const all = await browser.open('/acme/-/run-storage')
  expect(all.html).toContain(`href="${here}"`)
  expect(all.html).toContain('artifacts 8 bytes')
  expect((await visitor.open('/acme/-/run-storage')).status).not.toBe(200)
})
