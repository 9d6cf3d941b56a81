import { expect, test } from 'bun:test'
import { listStagedFiles } from '#features/releases/list-staged-files.ts'
import { stageReleaseFile } from '#features/releases/stage-release-file.ts'
import { HOUR } from '#lib/time.ts'
import { file, makeReleaseWorld } from './fixture.ts'

test('staged files are named for the person who chose them, until they expire', async () => {
  const { world, ada, otto } = await makeReleaseWorld()
  const repo = 'acme/site'
  const { token } = await world.call(
    stageReleaseFile,
    ada,
    { repo, name: 'a' },
    { bytes: file('one') },
  )
  const list = async (by: typeof ada) =>
    (await world.call(listStagedFiles, by, { repo, files: [token, 'nonsense'] })).files
  expect(await list(ada)).toEqual([{ token, name: 'a', size_in_bytes: 3 }])
  expect(await list(otto)).toEqual([])
  world.clock.advance(13 * HOUR)
  expect(await list(ada)).toEqual([])
})
