import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getWikiPage } from '#features/wiki/get-wiki-page.ts'
import { MAX_PAGE_LENGTH } from '#features/wiki/schema.ts'
import { refusal } from '../../world.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('a page is read by any spelling, now and as it was', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const first = await set(otto, 'First steps', 'One')
  await set(otto, 'First steps', 'Two')
  const read = (slug: string, revision?: string) =>
    world.call(getWikiPage, anonymous, { repo: REPO, slug, revision })
  for (const slug of ['First-steps', 'first steps', 'FIRST_STEPS'])
    expect((await read(slug)).body).toBe('Two\n')
  expect((await read('First-steps', first.revision)).body).toBe('One\n')
  expect((await read('First-steps', first.revision.slice(0, 8))).body).toBe('One\n')
  for (const revision of ['ffffffff', 'main', '0'.repeat(40), '../x'])
    expect(await refusal(read('First-steps', revision))).toMatchObject({ status: 404 })
  expect(await refusal(read('Missing'))).toMatchObject({ status: 404 })
})

test('of a private repository strangers learn nothing', async () => {
  const { world, otto, rita, eve, set } = await makeWikiWorld({ private: true })
  await set(otto, 'Home', 'One')
  expect((await world.call(getWikiPage, rita, { repo: REPO, slug: 'Home' })).body).toBe('One\n')
  for (const caller of [eve, anonymous])
    expect(
      await refusal(world.call(getWikiPage, caller, { repo: REPO, slug: 'Home' })),
    ).toMatchObject({ status: 404 })
})

test('a page as long as it may be is given whole, and a longer one is refused', async () => {
  const { otto, set } = await makeWikiWorld()
  const long = `${'x'.repeat(MAX_PAGE_LENGTH - 1)}\n`
  const page = await set(otto, 'Long', long)
  expect([page.body.length, page.truncated]).toEqual([MAX_PAGE_LENGTH, false])
  expect(await refusal(set(otto, 'Longer', `${long}x`))).toMatchObject({
    status: 422,
    field: 'body',
  })
})
