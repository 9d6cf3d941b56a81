import { expect, test } from 'bun:test'
import { bytesText } from '#lib/bytes-text.ts'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRelease, uploadReleaseAsset } from '#features/releases/index.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getUsage } from '#features/site/get-usage.ts'
import { listAllWorkspaces } from '#features/site/list-all-workspaces.ts'
import { setQuota } from '#features/site/set-quota.ts'
import { createSettingsToken } from '#features/accounts/index.ts'
import { addMember } from '#features/workspaces/index.ts'
import { makeListening } from '../../http/listening-world.ts'
import { refusal } from '../../world.ts'

const { world, server } = await makeListening()
const root = await world.user('root', { site_admin: true })
const ada = await world.user('ada')
const acme = await world.workspace('acme', { owner: ada })
await world.repo('acme/site', { as: ada })

test('members see usage with the quotas', async () => {
  const before = await world.call(getUsage, ada, { workspace: 'acme' })
  expect(before.repositories).toEqual({ used: 1, limit: null })
  expect(before.members).toEqual({ used: 1, limit: null })
  expect(
    await world.call(setQuota, root, { workspace: 'acme', repositories: 1, members: 1 }),
  ).toMatchObject({ workspace: 'acme', repositories: 1, members: 1, repos_bytes: null })
  // Omitted resources keep their quota.
  expect(await world.call(setQuota, root, { workspace: 'acme', members: null })).toMatchObject({
    repositories: 1,
    members: null,
  })
  expect((await world.call(getUsage, ada, { workspace: 'acme' })).repositories).toEqual({
    used: 1,
    limit: 1,
  })
  expect(
    await refusal(world.call(getUsage, await world.user('eve'), { workspace: 'acme' })),
  ).toMatchObject({ code: 'not_found' })
  expect(
    await refusal(world.call(setQuota, ada, { workspace: 'acme', members: 100 })),
  ).toMatchObject({ code: 'forbidden', reason: 'role' })
  expect(await refusal(world.call(setQuota, root, { workspace: 'nowhere' }))).toMatchObject({
    code: 'not_found',
  })
  const { items, total } = await world.call(listAllWorkspaces, root, { q: 'AC' })
  expect(total).toBe(1)
  expect(items[0]).toMatchObject({ slug: 'acme', usage: { repositories: { used: 1, limit: 1 } } })
  expect((await world.call(listAllWorkspaces, root, { q: 'nothing' })).items).toEqual([])
})

test('growth over the quota is refused, existing records stay', async () => {
  expect(
    await refusal(world.call(createRepo, ada, { workspace: 'acme', name: 'second' })),
  ).toMatchObject({
    code: 'forbidden',
    reason: 'quota',
    details: { quota: 'repositories', limit: 1, used: 1 },
  })
  await world.call(setQuota, root, { workspace: 'acme', repositories: null, members: 1 })
  const bob = await world.user('bob')
  expect(
    await refusal(
      world.write((tx) =>
        addMember(tx, { workspace_id: acme.id, user_id: bob.id, role: 'member' }),
      ),
    ),
  ).toMatchObject({ reason: 'quota' })
  await world.call(setQuota, root, { workspace: 'acme', members: 2 })
  await world.write((tx) =>
    addMember(tx, { workspace_id: acme.id, user_id: bob.id, role: 'member' }),
  )
  expect((await world.call(getUsage, bob, { workspace: 'acme' })).members).toEqual({
    used: 2,
    limit: 2,
  })
})

test('a push over the quota is refused with one line, and reads still work', async () => {
  const { secret } = await world.call(createSettingsToken, ada, { name: 'git' })
  const clone = mkdtempSync(join(tmpdir(), 'hearth-quota-'))
  const url = server.url.replace('http://', `http://ada:${secret}@`)
  // The server runs in this process, so the test must not block the event loop while git runs.
  const git = async (...args: string[]) => {
    const child = Bun.spawn(
      ['git', '-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args],
      { cwd: clone, stderr: 'pipe', stdout: 'ignore', stdin: 'ignore' },
    )
    const stderr = await new Response(child.stderr).text()
    return { status: await child.exited, stderr }
  }
  await git('init', '-q', '-b', 'main', '.')
  writeFileSync(join(clone, 'a.bin'), crypto.getRandomValues(new Uint8Array(60_000)))
  await git('add', '.')
  await git('commit', '-q', '-m', 'one')
  await git('remote', 'add', 'origin', `${url}/acme/site.git`)
  expect((await git('push', '-q', 'origin', 'main')).status).toBe(0)
  // The push is counted immediately, before the size is measured.
  const used = (await world.call(getUsage, ada, { workspace: 'acme' })).repos_bytes.used
  expect(used).toBeGreaterThan(60_000)
  await world.jobs()
  const measured = (await world.call(getUsage, ada, { workspace: 'acme' })).repos_bytes.used
  await world.call(setQuota, root, { workspace: 'acme', repos_bytes: measured + 10_000 })
  writeFileSync(join(clone, 'b.bin'), crypto.getRandomValues(new Uint8Array(60_000)))
  await git('checkout', '-q', '-b', 'more')
  await git('add', '.')
  await git('commit', '-q', '-m', 'two')
  const refused = await git('push', 'origin', 'more')
  expect(refused.status).not.toBe(0)
  expect(refused.stderr).toContain(
    `acme may have ${bytesText(measured + 10_000)} of repositories and has ${bytesText(measured)};`,
  )
  expect((await world.call(getUsage, ada, { workspace: 'acme' })).repos_bytes.used).toBe(measured)
  expect((await git('fetch', '-q', 'origin')).status).toBe(0)
  // Deleting a branch adds nothing, so it is never refused.
  await world.call(setQuota, root, { workspace: 'acme', repos_bytes: measured + 1_000_000 })
  expect((await git('push', '-q', 'origin', 'more')).status).toBe(0)
  await world.call(setQuota, root, { workspace: 'acme', repos_bytes: 1 })
  expect((await git('push', '-q', 'origin', ':more')).status).toBe(0)
}, 120_000)

test('release assets count towards the quota before they are read', async () => {
  const repo = 'acme/site'
  const sha = await world.commit(repo, 'main', { 'a.txt': 'a\n' })
  const release = await world.call(createRelease, ada, {
    repo,
    tag_name: 'v1',
    target: sha,
  } as never)
  const upload = (name: string, bytes: number) =>
    world.call(uploadReleaseAsset, ada, {
      repo,
      id: release.id,
      name,
      data: Buffer.alloc(bytes).toString('base64'),
    })
  await world.call(setQuota, root, { workspace: 'acme', artifacts_bytes: 10 })
  await upload('fits', 8)
  expect((await world.call(getUsage, ada, { workspace: 'acme' })).artifacts_bytes).toEqual({
    used: 8,
    limit: 10,
  })
  expect(await refusal(upload('too-much', 3))).toMatchObject({
    code: 'forbidden',
    reason: 'quota',
    details: { quota: 'artifacts_bytes', limit: 10, used: 8, wanted: 3 },
  })
  await upload('fits-too', 2)
  await world.call(setQuota, root, { workspace: 'acme', artifacts_bytes: null })
})
