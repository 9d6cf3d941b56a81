import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { compareCommits } from '#features/repos/commits/compare-commits.ts'
import { getCommit } from '#features/repos/commits/get-commit.ts'
import { getFile } from '#features/repos/files/get-file.ts'
import { createFork, recordMergedCommits, repoByPath } from '#features/repos/index.ts'
import { push } from '#features/repos/push/push.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, ada, site, one, two, row } = await makeCode()

test('one has its changes, its author and its pull request', async () => {
  await world.write((tx) => recordMergedCommits(tx, site.id, [two], { number: 5, session: true }))
  const commit = await world.call(getCommit, anonymous, { repo, ref: 'main' })
  expect(commit).toMatchObject({
    sha: two,
    parents: [one],
    stats: { files: 1, additions: 1, deletions: 0 },
    pull: 5,
    author: { actor: { username: 'ada' } },
  })
  expect(commit.files[0]).toMatchObject({
    path: 'a.ts',
    status: 'modified',
    additions: 1,
    truncated: false,
    language: 'TypeScript',
  })
  expect(commit.files[0]?.patch).toContain('@@')
  const short = await world.call(getCommit, anonymous, { repo, ref: two.slice(0, 7), patch: false })
  expect(short.files[0]).toMatchObject({ patch: null, hunks: [] })
})

test('what only a fork reaches is not found in its parent, by whatever name', async () => {
  const eve = await world.user('eve')
  const { id, store } = row()
  const fork = await world.write((tx) =>
    createFork(tx, row(), {
      pull_number: 9,
      author_id: eve.id,
      head: { ref: 'refs/heads/main', oid: two },
    }),
  )
  const author = { name: 'Eve', email: 'eve@example.com', time: 1_700_000_000, zone: '+0000' }
  const { commit } = await world.hearth.git.commitFiles(store, {
    parent: two,
    changes: [{ action: 'put', path: 'evil.txt', data: new TextEncoder().encode('evil') }],
    message: 'Evil',
    author,
    committer: author,
  })
  await world.call(push, eve, {
    repo: `${repo}/pull/9`,
    updates: [{ name: 'refs/heads/main', old: two, new: commit }],
  })
  expect(repoByPath(world.hearth.db, repo)?.id).toBe(id)
  for (const ref of [commit, commit.slice(0, 10), `refs/heads/${commit}`]) {
    expect((await refusal(world.call(getCommit, ada, { repo, ref }))).status).toBe(404)
    expect((await refusal(world.call(getFile, ada, { repo, path: 'evil.txt', ref }))).status).toBe(
      404,
    )
  }
  expect((await world.call(getCommit, ada, { repo: `${repo}/pull/9`, ref: commit })).sha).toBe(
    commit,
  )
  const compared = await world.call(compareCommits, ada, { repo, basehead: 'main...pull/9:main' })
  expect(compared.head_sha).toBe(commit)
  expect(compared.files.map(({ path }) => path)).toEqual(['evil.txt'])
  expect(
    (await world.call(compareCommits, ada, { repo, basehead: 'main...eve:main' })).head_sha,
  ).toBe(commit)
  expect(fork.pull_number).toBe(9)
})
