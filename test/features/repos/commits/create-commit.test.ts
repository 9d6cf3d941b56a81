import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { getFile } from '#features/repos/files/get-file.ts'
import { readRef, repoByPath } from '#features/repos/index.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const eve = await world.user('eve')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo('acme/site')
const repo = 'acme/site'
const head = (branch: string) =>
  readRef(world.hearth.db, repoByPath(world.hearth.db, repo)?.id ?? '', `refs/heads/${branch}`)
const put = (path: string, content: string) => ({ path, action: 'put' as const, content })

test('the first commit makes the branch', async () => {
  const commit = await world.call(createCommit, bob, {
    repo,
    branch: 'main',
    message: 'Begin\n\nSigned-off-by: Bob <bob@example.com>',
    files: [put('a.txt', 'one\ntwo\n')],
  })
  expect(head('main')).toBe(commit.sha)
  expect(commit).toMatchObject({
    title: 'Begin',
    parents: [],
    trailers: { 'Signed-off-by': ['Bob <bob@example.com>'] },
    stats: { files: 1, additions: 2, deletions: 0 },
    verification: { verified: false, reason: 'unsigned', kind: 'none' },
    short_sha: commit.sha.slice(0, 7),
  })
  expect(commit.author.actor?.username).toBe('bob')
  expect(world.events('git.push').at(-1)).toMatchObject({
    actor_id: bob.id,
    data: { after: commit.sha, created: true },
  })
})

test('a protected branch takes it on a new branch only', async () => {
  const input = { repo, branch: 'main', message: 'More', files: [put('b/c.txt', 'x')] }
  const before = head('main')
  expect(await refusal(world.call(createCommit, bob, input))).toMatchObject({ status: 403 })
  const commit = await world.call(createCommit, bob, { ...input, new_branch: 'topic' })
  expect(head('main')).toBe(before)
  expect(head('topic')).toBe(commit.sha)
  expect(commit.parents).toEqual([before ?? ''])
  expect(
    await refusal(world.call(createCommit, bob, { ...input, new_branch: 'topic' })),
  ).toMatchObject({ status: 409, reason: 'already_exists' })
})

test('base64, delete and modes', async () => {
  const files = [
    {
      path: 'bin',
      action: 'put' as const,
      content: Buffer.from([0, 1, 2, 255]).toString('base64'),
      encoding: 'base64' as const,
    },
    { path: 'run.sh', action: 'put' as const, content: '#!/bin/sh\n', mode: '100755' as const },
    { path: 'a.txt', action: 'delete' as const },
  ]
  await world.call(createCommit, bob, { repo, branch: 'topic', message: 'Binary', files })
  const file = await world.call(getFile, bob, { repo, path: 'bin', ref: 'topic' })
  expect(file).toMatchObject({
    encoding: 'base64',
    content: 'AAEC/w==',
    size: 4,
    binary: true,
    lines: null,
  })
  expect(
    (await refusal(world.call(getFile, bob, { repo, path: 'a.txt', ref: 'topic' }))).status,
  ).toBe(404)
})

test('a branch that moved is not overwritten', async () => {
  const was = head('topic') ?? ''
  await world.commit(repo, 'topic', { 'z.txt': 'z' })
  const now = head('topic')
  const input = { repo, branch: 'topic', message: 'Late', files: [put('y.txt', 'y')] }
  expect(
    await refusal(world.call(createCommit, bob, { ...input, expected_head: was })),
  ).toMatchObject({ status: 409, reason: 'head_moved' })
  expect(head('topic')).toBe(now)
  const results = await Promise.allSettled(
    ['1', '2', '3'].map((text) =>
      world.call(createCommit, bob, { ...input, files: [put(text, text)] }),
    ),
  )
  const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.sha] : []))
  expect(won.length).toBe(1)
  expect(head('topic')).toBe(won[0] ?? '')
})

test('bad input is named and changes nothing', async () => {
  const before = head('topic')
  const input = { repo, branch: 'topic', message: 'Bad' }
  const wrong: [string, object][] = [
    ['files', []],
    ['files[0].path', [put('../x', 'x')]],
    ['files[0].path', [put('', 'x')]],
    ['files[0].content', [{ path: 'x', action: 'put' }]],
    ['files[0].content', [{ path: 'x', action: 'put', content: '***', encoding: 'base64' }]],
    ['files[1].from', [put('x', 'x'), { path: 'y', action: 'move' }]],
  ]
  for (const [field, files] of wrong)
    expect(
      await refusal(world.call(createCommit, bob, { ...input, files } as never)),
    ).toMatchObject({ status: 422, field })
  const missing = await refusal(
    world.call(createCommit, bob, {
      ...input,
      files: [{ path: 'nowhere', action: 'delete' as const }],
    }),
  )
  expect([404, 422]).toContain(missing.status)
  expect(
    (
      await refusal(
        world.call(createCommit, bob, { ...input, branch: 'nope', files: [put('x', 'x')] }),
      )
    ).status,
  ).toBe(404)
  expect(
    (await refusal(world.call(createCommit, eve, { ...input, files: [put('x', 'x')] }))).status,
  ).toBe(403)
  expect(head('topic')).toBe(before)
})

test('an unprotected default branch takes commits', async () => {
  await world.call(updateRepo, ada, { repo, protected: false })
  const commit = await world.call(createCommit, bob, {
    repo,
    branch: 'main',
    message: 'Direct',
    files: [put('d', 'd')],
  })
  expect(head('main')).toBe(commit.sha)
})
