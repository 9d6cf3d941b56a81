/** Archives in which a document is twice, because clients do not agree on which one counts. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { findInTar } from '#features/packages/formats/read-archive.ts'
import { refusal } from '../../../world.ts'
import { makeServedPackages, tarEntry } from '../fixture.ts'
import { zip } from './archives.ts'

const folder = mkdtempSync(join(tmpdir(), 'archives-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tarOf = (...files: readonly (readonly [string, string])[]): Buffer =>
  gzipSync(
    Buffer.concat([...files.map(([path, text]) => tarEntry(path, text)), Buffer.alloc(1024)]),
  )

const isPackageJson = (name: string): boolean => /^[^/]+\/package\.json$/.test(name)

function find(bytes: Buffer) {
  const path = join(folder, 'package.tgz')
  writeFileSync(path, bytes)
  return findInTar(path, bytes.length, { isGzip: true, isChosen: isPackageJson })
}

test('a document that is twice in an archive is refused, at every distance', async () => {
  const first = ['package/package.json', '{"name":"a"}'] as const
  const large = ['package/large', crypto.getRandomValues(Buffer.alloc(200_000)).toString('hex')]
  const rest = large as unknown as readonly [string, string]
  expect((await find(tarOf(first, rest)))?.bytes.toString()).toBe('{"name":"a"}')
  expect((await find(tarOf(rest, first)))?.bytes.toString()).toBe('{"name":"a"}')
  expect(await find(tarOf(rest))).toBeNull()
  for (const again of ['package/package.json', './package/package.json', 'other/package.json'])
    for (const bytes of [tarOf(first, [again, '{}']), tarOf(first, rest, [again, '{}'])])
      expect([again, (await refusal(find(bytes))).status]).toEqual([again, 422])
})

test('composer.json may be twice only where one of them is deeper', async () => {
  const { send, token } = await makeServedPackages()
  const secret = await token()
  const put = async (files: Record<string, string>) => {
    const body = new Uint8Array(await zip(files))
    const path = '/packages/acme/composer/?version=1.0.0'
    return (await send(path, { token: secret, method: 'PUT', body })).status
  }
  const [one, two] = ['{"name":"acme/one"}', '{"name":"acme/two"}']
  expect(await put({ 'a/composer.json': one, 'b/composer.json': two })).toBe(422)
  expect(await put({ 'composer.json': one, 'b/composer.json': two })).toBe(201)
})
