import { expect, test } from 'bun:test'
import { stageReleaseFile } from '#features/releases/stage-release-file.ts'
import { refusal } from '../../world.ts'
import { file, makeReleaseWorld } from './fixture.ts'

test('a file is stored for those with Write, within the limits of files of releases', async () => {
  const { world, ada, otto, rita } = await makeReleaseWorld({
    settings: { releases: { max_asset_bytes: 10 } },
  })
  const stage = (by: typeof ada, name: string, text: string) =>
    world.call(stageReleaseFile, by, { repo: 'acme/site', name }, { bytes: file(text) })
  for (const by of [ada, otto]) expect((await stage(by, 'a.txt', 'one')).token).not.toBe('')
  expect((await refusal(stage(rita, 'a.txt', 'one'))).code).toBe('forbidden')
  expect((await refusal(stage(ada, 'a.txt', 'x'.repeat(11)))).code).toBe('too_large')
  expect((await refusal(stage(ada, '../a', 'one'))).field).toBe('name')
})
