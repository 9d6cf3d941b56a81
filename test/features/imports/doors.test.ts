/** Imports through the doors: REST, and real git while and after one runs. */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createSettingsToken } from '#features/accounts/index.ts'
import { startBackend } from '../../git/support/backend.ts'
import { makeHistory, objectsOf, refsOf } from '../../git/support/history.ts'
import { discard, git, scratch, tryGit } from '../../git/support/real-git.ts'
import { runForge } from '../oauth/running.ts'

const work = scratch()
const source = await makeHistory(work, 'source.git', { seed: 31, commits: 50 })
afterAll(() => discard(work))

test('over REST it answers 202, git is kept out meanwhile, and the copy is what the source is', async () => {
  const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  const { secret } = await forge.call(
    createSettingsToken,
    { ...ada, sign_in: 'sgn_test' },
    { name: 'all' },
  )
  const headers = { authorization: `Bearer ${secret ?? ''}` }
  const gate = Promise.withResolvers<void>()
  const server = startBackend(work, { gate: gate.promise })
  afterAll(() => server.close())
  const answer = await forge.post(
    '/api/imports',
    {
      source: 'git',
      url: `${server.url}/source.git`,
      workspace: 'acme',
      name: 'copy',
      private: false,
    },
    headers,
  )
  const begun = (await answer.json()) as { id: string; state: string }
  expect([answer.status, begun.state]).toEqual([202, 'queued'])

  const remote = `${forge.url.replace('://', `://ada:${secret ?? ''}@`)}/acme/copy.git`
  const pushed = await tryGit(source, ['push', remote, 'main'])
  expect(pushed.code).not.toBe(0)
  expect(pushed.err).toContain('being copied from elsewhere')
  gate.resolve()
  await forge.jobs()
  const record = (await (await forge.get(`/api/v1/imports/${begun.id}`, headers)).json()) as {
    state: string
  }
  expect(record.state).toBe('done')
  expect((await forge.get(`/api/imports/${begun.id}`)).status).toBe(401)
  expect((await forge.post(`/api/imports/${begun.id}/cancel`, {}, headers)).status).toBe(409)
  await git(work, 'clone', '-q', '--mirror', `${forge.url}/acme/copy.git`, 'clone.git')
  const clone = join(work, 'clone.git')
  expect(await refsOf(clone)).toEqual(await refsOf(source))
  expect(await objectsOf(clone)).toEqual(await objectsOf(source))
  expect((await tryGit(clone, ['fsck', '--strict'])).code).toBe(0)
}, 120_000)
