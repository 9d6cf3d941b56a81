import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { openWikiFile } from '#features/wiki/open-wiki-file.ts'
import { refusal } from '../../world.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('a file of the wiki is found by its path, a folder or a missing one is not', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const open = (path: string) => world.call(openWikiFile, anonymous, { repo: REPO, path })
  expect(await refusal(open('Home.md'))).toMatchObject({ status: 404 })
  await set(otto, 'Name', 'One', { slug: 'guides/Name' })
  expect((await open('guides/Name.md')).size).toBe(4)
  for (const path of ['guides', 'Home.md', '../Home.md', 'guides/Name'])
    expect(await refusal(open(path))).toMatchObject({ status: 404 })
})
