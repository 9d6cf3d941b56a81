import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { blobPath } from '#core/blobs.ts'
import { createReleaseWithFiles } from '#features/releases/create-release-with-files.ts'
import { listReleases } from '#features/releases/list-releases.ts'
import { stageReleaseFile } from '#features/releases/stage-release-file.ts'
import { HOUR } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { file, makeReleaseWorld } from './fixture.ts'

const REPO = 'acme/site'

async function setUp() {
  const all = await makeReleaseWorld()
  const { world, ada } = all
  const stage = async (name: string, text: string, by = ada) =>
    (await world.call(stageReleaseFile, by, { repo: REPO, name }, { bytes: file(text) })).token
  const create = (files: string[], change: Record<string, unknown> = {}, by = ada) =>
    world.call(createReleaseWithFiles, by, { repo: REPO, tag_name: 'v1', files, ...change })
  const all_releases = async () => (await world.call(listReleases, ada, { repo: REPO })).items
  return { ...all, stage, create, all_releases }
}

test('a release is published with its files in one step, and a draft keeps them', async () => {
  const { world, stage, create } = await setUp()
  const made = await create([await stage('a.txt', 'one'), await stage('b.zip', 'two')])
  expect(made.assets.map(({ name, size_in_bytes }) => [name, size_in_bytes])).toEqual([
    ['a.txt', 3],
    ['b.zip', 3],
  ])
  expect(world.events('release.published').length).toBe(1)
  const draft = await create([await stage('c', 'three')], { tag_name: 'v2', draft: true })
  expect([draft.draft, draft.assets.map(({ name }) => name)]).toEqual([true, ['c']])
})

test('nothing is created when a file cannot be added', async () => {
  const { world, stage, create, all_releases, otto } = await setUp()
  const token = await stage('a.txt', 'one')
  const cases: [string[], string][] = [
    [[token, await stage('a.txt', 'two')], 'two of the files are named a.txt'],
    [['nonsense'], 'a file was chosen too long ago'],
    [[await stage('x', 'y', otto)], 'a file was chosen too long ago'],
  ]
  for (const [files, message] of cases) {
    const refused = await refusal(create(files))
    expect([refused.code, refused.field, refused.message]).toEqual([
      'invalid',
      'files',
      expect.stringContaining(message),
    ])
  }
  const gone = await stage('gone.txt', 'bytes that are lost')
  rmSync(
    blobPath(
      world.hearth,
      new Bun.CryptoHasher('sha256').update('bytes that are lost').digest('hex'),
    ),
  )
  expect((await refusal(create([gone]))).message).toContain('gone.txt was chosen too long ago')
  world.clock.advance(13 * HOUR)
  expect((await refusal(create([token]))).field).toBe('files')
  expect(await all_releases()).toEqual([])
})
