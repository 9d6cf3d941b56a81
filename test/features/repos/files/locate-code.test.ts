import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { locateCode } from '#features/repos/files/locate-code.ts'
import { makeWorld, refusal } from '../../../world.ts'

test('locate_code tells the ref from the path, also when both have slashes', async () => {
  const world = await makeWorld()
  await world.workspace('acme')
  await world.repo('acme/site')
  const look = (rest: string) => world.call(locateCode, anonymous, { repo: 'acme/site', rest })
  expect(await look('')).toMatchObject({ ref: 'main', path: '', sha: null, type: 'dir' })

  const main = await world.commit('acme/site', 'main', { 'docs/a b.md': 'text', 'x/y': 'z' })
  const topic = await world.commit('acme/site', 'topic/docs', { 'docs/new.md': 'text' })
  expect(await look('main')).toMatchObject({
    ref: 'main',
    kind: 'branch',
    path: '',
    sha: main,
    type: 'dir',
  })
  expect(await look('main/docs/a b.md')).toMatchObject({
    ref: 'main',
    path: 'docs/a b.md',
    sha: main,
    type: 'file',
  })
  expect(await look('topic/docs/docs')).toMatchObject({
    ref: 'topic/docs',
    kind: 'branch',
    path: 'docs',
    sha: topic,
    type: 'dir',
  })
  expect(await look(`${main}/x/y`)).toMatchObject({
    ref: main,
    kind: 'commit',
    path: 'x/y',
    type: 'file',
  })
  for (const rest of ['nowhere', 'main/docs/none', 'topic', 'main/../x'])
    expect([404, 422]).toContain((await refusal(look(rest))).status)
})
