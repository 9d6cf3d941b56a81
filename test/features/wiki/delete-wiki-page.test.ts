import { expect, test } from 'bun:test'
import { deleteWikiPage } from '#features/wiki/delete-wiki-page.ts'
import { getWikiPage } from '#features/wiki/get-wiki-page.ts'
import { listWikiPages } from '#features/wiki/list-wiki-pages.ts'
import { refusal } from '../../world.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('a page is deleted with a commit, the last one too, and its history stays', async () => {
  const { world, otto, rita, set } = await makeWikiWorld()
  const { revision } = await set(otto, 'Home', 'One')
  const remove = (by: typeof otto) => world.call(deleteWikiPage, by, { repo: REPO, slug: 'home' })
  expect(await refusal(remove(rita))).toMatchObject({ status: 403 })
  await remove(otto)
  expect((await world.call(listWikiPages, otto, { repo: REPO })).items).toEqual([])
  expect((await world.call(getWikiPage, rita, { repo: REPO, slug: 'Home', revision })).body).toBe(
    'One\n',
  )
  expect(await refusal(remove(otto))).toMatchObject({ status: 404 })
  expect(world.events('wiki.updated').at(-1)?.data.pages).toEqual([
    { slug: 'Home', title: 'Home', action: 'deleted' },
  ])
  await set(otto, 'Home', 'Again')
})
