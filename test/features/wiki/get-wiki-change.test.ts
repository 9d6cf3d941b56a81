import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getWikiChange } from '#features/wiki/get-wiki-change.ts'
import { refusal } from '../../world.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('what a commit of the wiki changed, and nothing of the code beside it', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const code = await world.commit(REPO, 'main', { 'a.txt': 'hidden\n' })
  await set(otto, 'Home', 'One')
  const { revision } = await set(otto, 'Home', 'Two', { message: 'Say two' })
  const get = (of: string) => world.call(getWikiChange, anonymous, { repo: REPO, revision: of })
  const change = await get(revision)
  expect([change.message, change.files.map(({ path, patch }) => [path, patch])]).toEqual([
    'Say two',
    [['Home.md', expect.stringContaining('-One\n+Two\n')]],
  ])
  expect(await refusal(get(code))).toMatchObject({ status: 404 })
})
