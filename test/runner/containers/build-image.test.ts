import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireOnlyName } from '../../../src/runner/containers/build-image.ts'
import { writeTar } from '#lib/archives/tar.ts'

const IMAGE = 'localhost/hearth-action:1'
const folder = mkdtempSync(join(tmpdir(), 'build-image-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
async function writeArchive(files: readonly (readonly [path: string, content: unknown])[]) {
  async function* entries() {
    for (const [path, content] of files) {
      const bytes = Buffer.from(JSON.stringify(content))
      const data = (async function* () {
        yield bytes
      })()
      yield { path, isExecutable: false, size: bytes.length, data }
    }
  }
  const path = join(folder, `${count++}.tar`)
  await Bun.write(
    path,
    await Array.fromAsync(writeTar(entries())).then((parts) => Buffer.concat(parts)),
  )
  return path
}

const manifest = (...tags: string[]): readonly [string, unknown] => [
  'manifest.json',
  [{ Config: 'a.json', RepoTags: tags, Layers: [] }],
]

test('an archive of a built image has the name of that image alone', async () => {
  await requireOnlyName(await writeArchive([['a.json', {}], manifest(IMAGE)]), IMAGE)
  const alpine = 'docker.io/library/alpine:latest'
  for (const files of [
    [manifest(alpine)],
    [manifest(IMAGE, alpine)],
    [manifest()],
    [manifest(IMAGE), manifest(alpine)],
    [['a.json', {}]],
    [['manifest.json', 'x'.repeat(65_536)]],
    [manifest(IMAGE), ['index.json', {}]],
  ] as (readonly [string, unknown])[][])
    await expect(requireOnlyName(await writeArchive(files), IMAGE)).rejects.toThrow(
      'the image could not be built: its',
    )
  const link = join(folder, 'link.tar')
  symlinkSync(await writeArchive([manifest(IMAGE)]), link)
  await expect(requireOnlyName(link, IMAGE)).rejects.toThrow('is no file')
})
