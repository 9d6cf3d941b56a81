/** Archives with large files, over real connections and as real readers of archives see them. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeLfsObject } from '#features/lfs/store-lfs-object.ts'
import { getArchiveLink } from '#features/repos/archives/get-archive-link.ts'
import { blobPath } from '#core/blobs.ts'
import { runForge } from '../oauth/running.ts'
import { refusal } from '../../world.ts'
import { fileOf, incoming, oidOf, pointerOf } from './fixture.ts'

const REPO = 'acme/site'
const LIMIT_BYTES = 20_000_000
const forge = await runForge({ archives: { max_files: 100, max_bytes: LIMIT_BYTES } })
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { private: true })
await forge.repo('acme/other', { private: true })

const store = (text: string, repo = REPO) =>
  forge.call(storeLfsObject, ada, { repo, ...fileOf(text) }, { bytes: incoming(text) })

const small = 'a small picture\n'
// Longer than the pieces in which files are read, and no multiple of them.
const large = Array.from({ length: 300_000 }, (_, at) => `${at * 7919}\n`).join('')
const foreign = 'a file of another repository\n'
const absent = 'a file that nobody uploaded\n'
await store(small)
await store(large)
await store(foreign, 'acme/other')
const liar = pointerOf(small).replace(/size \d+/, 'size 5')

await forge.commit(REPO, 'main', {
  '.gitattributes': '*.psd filter=lfs diff=lfs -text\n',
  'small.psd': pointerOf(small),
  'deep/large.psd': pointerOf(large),
  'deep/again.psd': pointerOf(large),
  'foreign.psd': pointerOf(foreign),
  'absent.psd': pointerOf(absent),
  'liar.psd': liar,
  'path.psd': pointerOf(small).replace(oidOf(small), '../../../etc/passwd'),
  'no-attribute.txt': pointerOf(small),
  'plain.psd': 'no pointer at all\n',
})

async function unpacked(
  format: 'zip' | 'tar.gz',
  ref = 'main',
): Promise<(path: string) => Promise<string>> {
  const { url } = await forge.call(getArchiveLink, ada, { repo: REPO, format, ref })
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  const folder = mkdtempSync(join(tmpdir(), 'large-'))
  const file = join(folder, `it.${format}`)
  await Bun.write(file, await answer.bytes())
  if (format === 'zip') await Bun.$`unzip -q ${file} -d ${folder}`.quiet()
  else await Bun.$`tar -xzf ${file} -C ${folder}`.quiet()
  rmSync(file)
  const root = `${folder}/${url
    .split('/')
    .at(-1)
    ?.slice(0, -format.length - 1)}`
  return (path) => Bun.file(join(root, path)).text()
}

for (const format of ['zip', 'tar.gz'] as const)
  test(`a ${format} file has the files of pointers, and the text of pointers that lead nowhere`, async () => {
    const read = await unpacked(format)
    expect(await read('small.psd')).toBe(small)
    expect((await read('deep/large.psd')) === large).toBe(true)
    expect((await read('deep/again.psd')) === large).toBe(true)
    expect(await read('foreign.psd')).toBe(pointerOf(foreign))
    expect(await read('absent.psd')).toBe(pointerOf(absent))
    expect(await read('liar.psd')).toBe(liar)
    expect(await read('path.psd')).toContain('etc/passwd')
    expect(await read('no-attribute.txt')).toBe(pointerOf(small))
    expect(await read('plain.psd')).toBe('no pointer at all\n')
  })

test('a part of an archive is a part of the large file in it', async () => {
  const { url } = await forge.call(getArchiveLink, ada, { repo: REPO })
  const whole = Buffer.from(await (await fetch(url)).bytes())
  const part = await fetch(url, { headers: { range: 'bytes=500000-900000' } })
  expect(part.status).toBe(206)
  expect(Buffer.from(await part.bytes()).equals(whole.subarray(500_000, 900_001))).toBe(true)
})

test('a large file counts with its size at each path, against the limit of archives', async () => {
  const paths = Array.from({ length: Math.ceil(LIMIT_BYTES / large.length) }, (_, n) => `${n}.psd`)
  await forge.commit(REPO, 'many', {
    '.gitattributes': '*.psd filter=lfs\n',
    ...Object.fromEntries(paths.map((path) => [path, pointerOf(large)])),
  })
  const refused = await refusal(forge.call(getArchiveLink, ada, { repo: REPO, ref: 'many' }))
  expect([refused.status, refused.message]).toEqual([422, expect.stringContaining('clone')])
})

test('a file that is lost stays a pointer, and the archive is whole', async () => {
  const lost = 'a file whose bytes are lost\n'
  await store(lost)
  await forge.commit(REPO, 'lost', {
    '.gitattributes': '*.psd filter=lfs\n',
    'lost.psd': pointerOf(lost),
    'small.psd': pointerOf(small),
  })
  rmSync(blobPath(forge.hearth, oidOf(lost)))
  const read = await unpacked('zip', 'lost')
  expect(await read('lost.psd')).toBe(pointerOf(lost))
  expect(await read('small.psd')).toBe(small)
})
