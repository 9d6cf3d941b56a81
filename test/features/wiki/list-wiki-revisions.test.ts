import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listWikiRevisions } from '#features/wiki/list-wiki-revisions.ts'
import { refusal } from '../../world.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('the changes of one page, newest first', async () => {
  const { world, ada, otto, set } = await makeWikiWorld()
  await set(otto, 'Home', 'One')
  await set(ada, 'Other', 'Beside')
  const last = await set(ada, 'Home', 'Two', { message: 'Say two\n\nBecause.' })
  const { items } = await world.call(listWikiRevisions, anonymous, { repo: REPO, slug: 'home' })
  expect(items.map(({ message, author }) => [message, author.actor?.username])).toEqual([
    ['Say two', 'ada'],
    ['Create Home', 'otto'],
  ])
  expect(items[0]?.html_url.endsWith(`/wiki/Home?revision=${last.revision}`)).toBe(true)
  expect(
    await refusal(world.call(listWikiRevisions, anonymous, { repo: REPO, slug: 'Missing' })),
  ).toMatchObject({ status: 404 })
})
