import { expect, test } from 'bun:test'
import { listKeptMirrorRefs } from '#features/mirrors/list-kept-mirror-refs.ts'
import { keepRef } from '#features/mirrors/store-refs.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()

test('those who can push see the kept tips of their repository, the newest first', async () => {
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  const [site, other] = [await world.repo('acme/site'), await world.repo('acme/other')]
  for (const [repo_id, letter] of [
    [site.id, '1'],
    [site.id, '2'],
    [other.id, '3'],
  ] as const) {
    world.clock.advance(1000)
    await world.write((tx) =>
      keepRef(tx, {
        repo_id,
        oid: letter.repeat(40),
        name: 'refs/heads/main',
        mirror_id: 'rmt_1',
        side: 'remote',
      }),
    )
  }
  const { items } = await world.call(listKeptMirrorRefs, ada, { repo: 'acme/site' })
  expect(items.map(({ sha }) => sha)).toEqual(['2'.repeat(40), '1'.repeat(40)])
  await expect(
    world.call(listKeptMirrorRefs, await world.user('bob'), { repo: 'acme/site' }),
  ).rejects.toMatchObject({ reason: 'role' })
})
