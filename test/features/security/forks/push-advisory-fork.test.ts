/** The private fork of an advisory as a git repository, with the real git. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { getAdvisoryFork } from '#features/security/forks/get-advisory-fork.ts'
import { removeAdvisoryCollaborator } from '#features/security/forks/remove-advisory-collaborator.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { madeUpToken } from '../secrets/fixture.ts'
import { makeForkGitWorld, REPO } from './fixture.ts'

test('an invited person clones, pushes and fetches, and the base follows the repository', async () => {
  const { world, ada, ivy, git, at, fork, open, invite, commit, id } = await makeForkGitWorld()
  await open()
  await invite('ivy')
  expect((await git('', 'clone', await at(fork, ivy), 'fork')).code).toBe(0)
  const fixed = await commit('fork', 'fix', 'a.txt', 'one\nsafe\nthree\n')
  const pushed = await git('fork', 'push', 'origin', 'fix')
  expect([pushed.code, pushed.error]).toEqual([0, expect.stringContaining('[new branch]')])
  expect(await world.call(getAdvisoryFork, ada, { repo: REPO, id })).toMatchObject({
    state: 'ready',
    base_branch: 'main',
    branches: [{ name: 'fix', sha: fixed, title: 'Change a.txt', ahead: 1, behind: 0 }],
  })

  const next = await world.commit(REPO, 'main', { 'c.txt': 'c\n' })
  await world.jobs()
  expect((await git('', 'clone', await at(fork, ada), 'other')).code).toBe(0)
  expect((await git('other', 'rev-parse', 'origin/main')).out.trim()).toBe(next)
  expect((await git('other', 'rev-parse', 'origin/fix')).out.trim()).toBe(fixed)
  expect((await git('other', 'fsck', '--strict')).code).toBe(0)
  expect(world.events('git.push').map(({ data }) => data.ref)).toEqual([
    'refs/heads/main',
    'refs/heads/main',
  ])
})

test('without work on the advisory nobody reaches it, whatever their role', async () => {
  const { world, workspace, ada, mel, rita, eve, ivy, git, at, fork, open, invite, id } =
    await makeForkGitWorld()
  await open()
  const clone = async (...who: Parameters<typeof at> extends [string, ...infer R] ? R : never) =>
    await git('', 'ls-remote', await at(fork, ...who))
  for (const person of [mel, rita, eve, ivy]) {
    const { code, error } = await clone(person)
    expect(code).not.toBe(0)
    expect(error).toContain('not found')
  }
  expect((await clone(null)).error).toContain('could not read Username')
  await invite('ivy')
  expect((await clone(ivy)).code).toBe(0)
  // A token that does not reach the repository, or not with Write, counts for nothing.
  const other = await world.repo('acme/other')
  const repos = [{ id: other.id, workspace_id: workspace.id, name: 'other' }]
  expect((await clone(ivy, { repos })).error).toContain('not found')
  expect((await clone(ivy, { role: 'read' })).error).toContain('not found')
  expect((await clone(ada, { scopes: ['repo:read'] })).error).toContain('403')
  await world.call(removeAdvisoryCollaborator, ada, { repo: REPO, id, username: 'ivy' })
  expect((await clone(ivy)).error).toContain('not found')
})

test('the base, tags, secrets and pushes after publishing are refused in words', async () => {
  const { world, ada, git, at, fork, open, commit, home, id } = await makeForkGitWorld()
  await open()
  await git('', 'clone', await at(fork, ada), 'fork')
  const refused = async (...args: string[]) => {
    const { code, error } = await git('fork', 'push', 'origin', ...args)
    expect(code).not.toBe(0)
    return error
  }
  await commit('fork', 'fix', 'a.txt', 'safe\n')
  expect(await refused('fix:main')).toContain('main follows the repository')
  await git('fork', 'tag', 'v1')
  expect(await refused('v1')).toContain('branches only')
  expect(await refused('--atomic', 'fix', 'fix:main')).toContain('atomic')
  expect((await git('fork', 'ls-remote', 'origin')).out).not.toContain('fix')
  writeFileSync(join(home, 'fork/key.txt'), `${madeUpToken()}\n`)
  await git('fork', 'add', '.')
  await git('fork', 'commit', '-m', 'Key')
  const secret = await refused('fix')
  expect(secret).toContain('key.txt:1')
  expect(secret).not.toContain('bypass')
  await git('fork', 'reset', '--hard', 'HEAD~1')
  expect((await git('fork', 'push', 'origin', 'fix', 'fix:a')).code).toBe(0)
  expect(await refused('fix:a/b')).toContain('cannot be made')
  expect((await git('fork', 'push', 'origin', ':a', 'fix:a/b')).code).toBe(0)
  // Rewriting and deleting is for whoever works there.
  await git('fork', 'commit', '--amend', '-m', 'Again')
  expect((await git('fork', 'push', '--force', 'origin', 'fix', ':a/b')).code).toBe(0)
  await world.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  await git('fork', 'commit', '--amend', '-m', 'Late')
  expect(await refused('--force', 'fix')).toContain('the advisory is published')
  expect(world.hearth.db.all('SELECT * FROM secret_alerts')).toEqual([])
})

test('it follows a rename, and an archived repository takes no pushes', async () => {
  const { world, ada, git, at, fork, open, commit } = await makeForkGitWorld()
  await open()
  await git('', 'clone', await at(fork, ada), 'fork')
  await world.call(renameRepo, ada, { repo: REPO, name: 'place' })
  await commit('fork', 'fix', 'a.txt', 'safe\n')
  expect((await git('fork', 'fetch', 'origin')).code).toBe(0)
  const pushed = await git('fork', 'push', 'origin', 'fix')
  expect([pushed.code, pushed.error]).toEqual([0, expect.stringContaining('[new branch]')])
  await world.call(archiveRepo, ada, { repo: 'acme/place' })
  await git('fork', 'commit', '--amend', '-m', 'Again')
  expect((await git('fork', 'push', '--force', 'origin', 'fix')).error).toContain('403')
  expect((await git('fork', 'fetch', 'origin')).code).toBe(0)
})
