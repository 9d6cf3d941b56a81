import { expect, test } from 'bun:test'
import { searchMemories } from '#features/memory/search-memories.ts'
import { makeMemoryWorld, REPO } from './fixture.ts'

test('finds what has one of the words, the best of each, and of the workspace for members only', async () => {
  const { world, ada, note } = await makeMemoryWorld()
  const eve = await world.user('eve')
  await note('Deploys run at night')
  await note('Deploys need the VPN, as the office says')
  await note('The café is closed')
  await note('Tests need the VPN', { scope: 'workspace' })
  const found = async (who: typeof ada, words: string[], input: object = {}) => {
    const { project, workspace } = await world.call(
      searchMemories,
      who,
      { repo: REPO, words, limit: 1, with_workspace: true, ...input },
      { untrusted: () => {} },
    )
    return [project, workspace].map((list) => list.map(({ text }) => text))
  }
  expect(await found(ada, ['deploys', 'cafe', 'vpn'])).toEqual([
    ['Deploys run at night', 'The café is closed', 'Deploys need the VPN, as the office says'],
    ['Tests need the VPN'],
  ])
  expect(await found(ada, ['deploys'], { limit: 5, with_workspace: false })).toEqual([
    ['Deploys run at night', 'Deploys need the VPN, as the office says'],
    [],
  ])
  expect(await found(ada, ['nothing', '???'])).toEqual([[], []])
  expect(await found(eve, ['vpn'])).toEqual([['Deploys need the VPN, as the office says'], []])
})
