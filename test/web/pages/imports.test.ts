/**
 * The form that copies a repository, and the page of one that is being copied, as a browser without
 * a script uses them.
 */
import { afterAll, expect, test } from 'bun:test'
import { startBackend } from '../../git/support/backend.ts'
import { makeHistory } from '../../git/support/history.ts'
import { discard, scratch } from '../../git/support/real-git.ts'
import { runForge } from '../../features/oauth/running.ts'

const work = scratch()
await makeHistory(work, 'source.git', { seed: 8, commits: 30 })
afterAll(() => discard(work))

async function setUp(options: { gate?: Promise<void>; authorization?: string } = {}) {
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  const server = startBackend(work, options)
  afterAll(() => server.close())
  return {
    forge,
    url: server.url,
    owner: await forge.browser('ada'),
    member: await forge.browser('bob'),
  }
}

test('an import shows its progress, its buttons to its owner only, and becomes the repository', async () => {
  const gate = Promise.withResolvers<void>()
  const { forge, url, owner, member } = await setUp({ gate: gate.promise })
  const form = await owner.open('/new')
  const made = await owner.press(form.html, '/new', {
    workspace: 'acme',
    name: 'copy',
    private: 'false',
    import_url: `${url}/source.git`,
  })
  expect([made.status, made.location]).toEqual([303, '/acme/copy'])
  const waiting = (await owner.open('/acme/copy')).html
  expect(waiting).toContain('This repository is being copied')
  expect(waiting).toContain(`${url}/source.git`)
  expect(waiting).toContain('action="/acme/copy/import/cancel"')
  const others = (await member.open('/acme/copy')).html
  expect(others).toContain('This repository is being copied')
  expect(others).not.toContain(url)
  expect(others).not.toContain('import/cancel')
  gate.resolve()
  await forge.jobs()
  const done = (await owner.open('/acme/copy')).html
  expect(done).not.toContain('being copied')
  expect(done).toContain('/acme/copy/commits/main')
})

test('a refused address is shown beside its field with the typed text, and no token is sent back', async () => {
  const { owner } = await setUp()
  const form = await owner.open('/new')
  for (const token of ['', 'SECRET-TOKEN']) {
    const refused = await owner.press(form.html, '/new', {
      workspace: 'acme',
      name: 'inside',
      private: 'true',
      import_url: 'https://10.0.0.1/x.git',
      import_token: token,
    })
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('https://10.0.0.1/x.git')
    expect(refused.html).toContain('outbound.allow')
    expect(refused.html).not.toContain('SECRET-TOKEN')
  }
  expect((await owner.open('/acme/inside')).status).toBe(404)
})

test('a failed import shows why and can be retried with a token', async () => {
  const { forge, url, owner, member } = await setUp({
    authorization: `Basic ${Buffer.from('x-access-token:right').toString('base64')}`,
  })
  const form = await owner.open('/new')
  await owner.press(form.html, '/new', {
    workspace: 'acme',
    name: 'closed',
    private: 'true',
    import_url: `${url}/source.git`,
  })
  await forge.jobs()
  const failed = await owner.open('/acme/closed')
  expect(failed.html).toContain('The copy failed')
  expect(failed.html).toContain('private or does not exist')
  expect((await member.open('/acme/closed')).html).not.toContain('import/retry')
  const again = await owner.press(failed.html, '/acme/closed/import/retry', { token: 'right' })
  expect([again.status, again.location]).toEqual([303, '/acme/closed'])
  await forge.jobs()
  expect((await owner.open('/acme/closed')).html).toContain('/acme/closed/commits/main')
})

test('a cancelled import leaves an empty repository', async () => {
  const gate = Promise.withResolvers<void>()
  const { forge, url, owner } = await setUp({ gate: gate.promise })
  const form = await owner.open('/new')
  await owner.press(form.html, '/new', {
    workspace: 'acme',
    name: 'never',
    private: 'true',
    import_url: `${url}/source.git`,
    import_token: 'a-token',
  })
  const waiting = await owner.open('/acme/never')
  expect((await owner.press(waiting.html, '/acme/never/import/cancel', {})).location).toBe(
    '/acme/never',
  )
  gate.resolve()
  await forge.jobs()
  const after = (await owner.open('/acme/never')).html
  expect(after).toContain('The copy was cancelled')
  expect(after).toContain('Push an existing repository')
})
