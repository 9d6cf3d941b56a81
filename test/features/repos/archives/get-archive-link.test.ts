import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { anonymous } from '#core/caller.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getArchiveLink } from '#features/repos/archives/get-archive-link.ts'
import { openArchive } from '#features/repos/archives/open-archive.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

const repo = 'acme/site'
const partsOf = (url: string) => {
  const [, token = '', file = ''] =
    /^https:\/\/hearth\.test\/_archive\/([^/]+)\/([^/]+)$/.exec(url) ?? []
  return { token, file }
}

test('the link names one commit, works for ten minutes and needs no token', async () => {
  const { world, ada, site } = await makeLife()
  const head = await world.commit(repo, 'feature/x', { 'b.txt': 'b\n' })
  const link = await world.call(getArchiveLink, anonymous, { repo, ref: 'feature/x' })
  expect(link).toMatchObject({ commit: head, expires_at: '2026-03-01T12:10:00.000Z' })
  const { token, file } = partsOf(link.url)
  expect(file).toBe(`acme-site-${head.slice(0, 7)}.zip`)
  const opened = {
    store: site.id,
    commit: head,
    folder: file.slice(0, -4),
    format: 'zip' as const,
    head: 'refs/heads/main',
    refs: [{ name: 'refs/heads/feature/x', oid: head, peeled: null }],
    tags: [],
    large_files: [],
  }
  expect(await world.call(openArchive, anonymous, { token, file })).toEqual(opened)
  world.clock.advance(10 * MINUTE - 1)
  expect(await world.call(openArchive, anonymous, { token, file })).toEqual(opened)
  world.clock.advance(1)
  expect(await refusal(world.call(openArchive, anonymous, { token, file }))).toMatchObject({
    status: 410,
    code: 'gone',
  })
  // The default branch when nothing is named.
  expect((await world.call(getArchiveLink, ada, { repo })).commit).not.toBe(head)
  const key = join(world.data, 'secrets', 'installation.key')
  expect(statSync(key).mode & 0o777).toBe(0o600)
})

test('it needs the right to read, also while the link is open', async () => {
  const { world, ada, bob, eve } = await makeLife()
  await world.repo('acme/secret', { private: true })
  await world.commit('acme/secret', 'main', { 'a.txt': 'a\n' })
  for (const caller of [anonymous, eve])
    expect(
      (await refusal(world.call(getArchiveLink, caller, { repo: 'acme/secret' }))).status,
    ).toBe(404)
  expect(
    await refusal(
      world.call(getArchiveLink, withToken(bob, { scopes: ['repo:read'] }), {
        repo: 'acme/secret',
      }),
    ),
  ).toMatchObject({ status: 403, reason: 'scope' })
  const parts = partsOf((await world.call(getArchiveLink, bob, { repo: 'acme/secret' })).url)
  expect((await world.call(openArchive, anonymous, parts)).folder).toStartWith('acme-secret-')
  await world.call(deleteRepo, ada, { repo: 'acme/secret', confirm: 'acme/secret' })
  expect((await refusal(world.call(openArchive, anonymous, parts))).status).toBe(404)
})

test('what is too large is refused with the way out; nothing and an unknown ref are not there', async () => {
  const world = await makeWorld({ archives: { max_files: 3, max_bytes: 10 } })
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo(repo)
  expect((await refusal(world.call(getArchiveLink, ada, { repo }))).status).toBe(404)
  await world.commit(repo, 'main', { a: '1234567890', 'd/b': '', 'd/e/c': '' })
  expect((await world.call(getArchiveLink, ada, { repo })).url).toContain('/_archive/')
  expect((await refusal(world.call(getArchiveLink, ada, { repo, ref: 'none' }))).status).toBe(404)
  await world.commit(repo, 'files', { a: '', b: '', c: '', d: '' })
  await world.commit(repo, 'bytes', { a: '12345678901' })
  for (const ref of ['files', 'bytes']) {
    const large = await refusal(world.call(getArchiveLink, ada, { repo, ref }))
    expect(large).toMatchObject({ status: 422, field: 'ref' })
    expect(large.message).toContain('clone')
  }
  const unlimited = await makeWorld({ archives: { max_files: null, max_bytes: null } })
  await unlimited.workspace('acme')
  await unlimited.repo(repo)
  await unlimited.commit(repo, 'main', { a: '12345678901', b: '', c: '', d: '' })
  expect((await unlimited.call(getArchiveLink, anonymous, { repo })).url).toContain('/_archive/')
})
