import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { openLfsObject } from '#features/lfs/open-lfs-object.ts'
import { refusal } from '../../world.ts'
import { fileOf, makeLfsWorld, OTHER, REPO } from './fixture.ts'

test('a file is found by those who may read its repository', async () => {
  const { world, ada, rita, eve, store } = await makeLfsWorld()
  await store('cat')
  const { oid } = fileOf('cat')
  expect(await world.call(openLfsObject, rita, { repo: REPO, oid })).toEqual(fileOf('cat'))
  for (const [person, repo] of [
    [ada, OTHER],
    [eve, REPO],
  ] as const)
    expect((await refusal(world.call(openLfsObject, person, { repo, oid }))).status).toBe(404)
})

test('the fork of a pull request has the files of its repository', async () => {
  const { world, rita, store } = await makeLfsWorld()
  await store('cat')
  const { pull } = await world.call(createPull, rita, { repo: REPO, title: 'A cat' })
  const fork = `${REPO}/pull/${pull.number}`
  await store('dog', rita, fork)
  for (const repo of [fork, REPO])
    for (const text of ['cat', 'dog'])
      expect(await world.call(openLfsObject, rita, { repo, oid: fileOf(text).oid })).toEqual(
        fileOf(text),
      )
})
