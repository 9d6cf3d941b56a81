/** The wiki as a git repository, with the real git. */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getWikiPage } from '#features/wiki/get-wiki-page.ts'
import { listWikiPages } from '#features/wiki/list-wiki-pages.ts'
import { setWikiPage } from '#features/wiki/set-wiki-page.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { listBranches } from '#features/repos/branches/list-branches.ts'
import { anonymous } from '#core/caller.ts'
import { makeGitWorld, REPO } from './fixture.ts'

const WIKI = `${REPO}.wiki.git`

test('an empty wiki is cloned, filled and pushed; edits on the site are pulled', async () => {
  const { world, otto, git, at, home, set } = await makeGitWorld()
  const url = await at(WIKI, otto)
  expect((await git('', 'clone', url, 'wiki')).code).toBe(0)
  mkdirSync(join(home, 'wiki/guides'))
  writeFileSync(join(home, 'wiki/Home.md'), '# Welcome\n')
  writeFileSync(join(home, 'wiki/guides/First-steps.md'), 'Begin here.\n')
  writeFileSync(join(home, 'wiki/notes.txt'), 'not a page\n')
  await git('wiki', 'add', '.')
  await git('wiki', 'commit', '-m', 'Begin the wiki')
  await git('wiki', 'branch', '-M', 'master')
  const pushed = await git('wiki', 'push', 'origin', 'master')
  expect([pushed.code, pushed.error]).toEqual([0, expect.stringContaining('[new branch]')])
  const { items } = await world.call(listWikiPages, anonymous, { repo: REPO })
  expect(items.map(({ slug, title }) => [slug, title])).toEqual([
    ['Home', 'Home'],
    ['guides/First-steps', 'First steps'],
  ])
  expect(world.events('wiki.updated').map(({ data }) => data.pages)).toEqual([
    [
      { slug: 'Home', title: 'Home', action: 'created' },
      { slug: 'guides/First-steps', title: 'First steps', action: 'created' },
    ],
  ])

  await set(otto, 'Home', 'Edited on the site')
  expect((await git('wiki', 'pull', '--ff-only', 'origin', 'master')).code).toBe(0)
  expect((await git('wiki', 'show', 'HEAD:Home.md')).out).toBe('Edited on the site\n')
  // The repository itself has nothing of it.
  expect((await world.call(listBranches, otto, { repo: REPO })).items).toEqual([])
  expect((await git('', 'ls-remote', await at(`${REPO}.git`, otto))).out).toBe('')
  // A clone by somebody else is whole and sound.
  expect((await git('', 'clone', await at(WIKI, null), 'other')).code).toBe(0)
  expect((await git('other', 'fsck', '--strict')).code).toBe(0)
  expect((await git('other', 'log', '--format=%s')).out).toBe('Update Home\nBegin the wiki\n')
})

test('other branches, tags, deletion and rewriting are refused, each in words', async () => {
  const { world, otto, git, at, set, home } = await makeGitWorld()
  await set(otto, 'Home', 'One')
  await git('', 'clone', await at(WIKI, otto), 'wiki')
  const refused = async (...args: string[]) => {
    const { code, error } = await git('wiki', 'push', 'origin', ...args)
    expect(code).not.toBe(0)
    return error
  }
  await git('wiki', 'tag', 'v1')
  expect(await refused('main:other')).toContain('a wiki has one branch, main')
  expect(await refused('v1')).toContain('no tags')
  expect(await refused(':main')).toContain('cannot be deleted')
  await git('wiki', 'commit', '--amend', '-m', 'Rewritten')
  expect(await refused('--force', 'main')).toContain('cannot be rewritten')
  await git('wiki', 'reset', '--hard', 'origin/main')
  writeFileSync(join(home, 'wiki/Home.md'), 'Two\n')
  await git('wiki', 'commit', '-am', 'Mine')
  await set(otto, 'Home', 'Theirs')
  expect(await refused('main')).toMatch(/fetch first|rejected/)
  expect((await world.call(getWikiPage, otto, { repo: REPO, slug: 'Home' })).body).toBe('Theirs\n')
})

test('a refused secret is told with its line, and its person may bypass', async () => {
  const { otto, git, at, set, home } = await makeGitWorld()
  await set(otto, 'Home', 'One')
  await git('', 'clone', await at(WIKI, otto), 'wiki')
  writeFileSync(
    join(home, 'wiki/Home.md'),
    `Two\nghp_${'aB3dE5gH7jK9mN1p'.repeat(3).slice(0, 36)}\n`,
  )
  await git('wiki', 'commit', '-am', 'Add a token')
  const { code, error } = await git('wiki', 'push', 'origin', 'main')
  expect(code).not.toBe(0)
  expect(error).toContain('Home.md:2')
  expect(error).toContain(`/${REPO}/security/secrets/bypass?placeholder=pp_`)
})

test('objects of the repository are out of reach through its wiki, and the reverse', async () => {
  const { world, otto, git, at, set, home } = await makeGitWorld({ private: true })
  const secret = await world.commit(REPO, 'main', { 'secret.txt': 'hidden\n' })
  const { revision } = await set(otto, 'Home', 'One')
  mkdirSync(join(home, 'empty'))
  await git('empty', 'init')
  const wiki = await at(WIKI, otto)
  expect((await git('empty', 'fetch', wiki, secret)).code).not.toBe(0)
  expect((await git('empty', 'fetch', await at(`${REPO}.git`, otto), revision)).code).not.toBe(0)
  expect((await git('empty', 'fetch', wiki, revision)).code).toBe(0)
  for (const slug of ['Home', 'secret'])
    await expect(
      world.call(getWikiPage, otto, { repo: REPO, slug, revision: secret }),
    ).rejects.toMatchObject({ status: 404 })
})

test('only those with Write push, only readers clone, and former names lead on', async () => {
  const { world, ada, otto, rita, eve, git, at, set, home } = await makeGitWorld({ private: true })
  await set(otto, 'Home', 'One')
  expect((await git('', 'clone', await at(WIKI, rita), 'read')).code).toBe(0)
  writeFileSync(join(home, 'read/Home.md'), 'Two\n')
  await git('read', 'commit', '-am', 'Two')
  const refused = await git('read', 'push', 'origin', 'main')
  expect([refused.code === 0, refused.error]).toEqual([false, expect.stringContaining('403')])
  expect((await git('', 'clone', await at(WIKI, eve), 'eve')).code).not.toBe(0)
  expect((await git('', 'clone', await at(WIKI, null), 'nobody')).code).not.toBe(0)

  await world.call(renameRepo, ada, { repo: REPO, name: 'moved' })
  expect((await git('', 'clone', await at(WIKI, rita), 'renamed')).code).toBe(0)
  await world.call(archiveRepo, ada, { repo: 'acme/moved' })
  writeFileSync(join(home, 'renamed/Home.md'), 'Three\n')
  await git('renamed', 'commit', '-am', 'Three')
  expect((await git('renamed', 'push', await at(WIKI, otto), 'main')).code).not.toBe(0)
  expect((await git('', 'clone', await at(WIKI, rita), 'archived')).code).toBe(0)
})

test('a wiki that is switched off is gone for git and the API, and comes back as it was', async () => {
  const { world, ada, otto, git, at, set } = await makeGitWorld()
  await set(otto, 'Home', 'One')
  await world.call(updateRepoSettings, ada, { repo: REPO, wiki_enabled: false })
  expect((await git('', 'clone', await at(WIKI, otto), 'off')).code).not.toBe(0)
  await expect(world.call(getWikiPage, otto, { repo: REPO, slug: 'Home' })).rejects.toMatchObject({
    status: 404,
  })
  await expect(
    world.call(setWikiPage, otto, { repo: REPO, slug: 'Home', title: 'Home', body: 'Two' }),
  ).rejects.toMatchObject({ status: 403, reason: 'contributions_closed' })
  await world.call(updateRepoSettings, ada, { repo: REPO, wiki_enabled: true })
  expect((await world.call(getWikiPage, otto, { repo: REPO, slug: 'Home' })).body).toBe('One\n')
})

test('a push with an access token is refused, and its size counts', async () => {
  const { world, otto, git, at, home } = await makeGitWorld()
  const url = await at(WIKI, otto)
  const token = /x:(\w+)@/.exec(url)?.[1] ?? ''
  await git('', 'clone', url, 'wiki')
  writeFileSync(join(home, 'wiki/Home.md'), `token ${token}\n`)
  await git('wiki', 'add', '.')
  await git('wiki', 'commit', '-m', 'Leak')
  await git('wiki', 'branch', '-M', 'main')
  const refused = await git('wiki', 'push', 'origin', 'main')
  expect([refused.code === 0, refused.error]).toEqual([
    false,
    expect.stringContaining('holds an access token'),
  ])
  writeFileSync(join(home, 'wiki/Home.md'), 'clean\n')
  await git('wiki', 'commit', '--amend', '-am', 'Clean')
  expect((await git('wiki', 'push', 'origin', 'main')).code).toBe(0)
  expect((await world.call(getRepo, otto, { repo: REPO })).size_in_bytes).toBeGreaterThan(0)
})
