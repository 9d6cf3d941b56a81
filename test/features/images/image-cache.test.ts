import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ImageCache } from '#features/images/image-cache.ts'
import { HOUR } from '#lib/time.ts'

const scratch = mkdtempSync(join(tmpdir(), 'images-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const image = (size: number) => ({ type: 'image/png', bytes: new Uint8Array(size).fill(7) })

test('images last over a restart, within a bound, those last used the longest', async () => {
  const directory = join(scratch, 'a')
  const now = () => Date.now()
  const first = new ImageCache(directory, now, 350)
  for (const name of ['a', 'b', 'c']) await first.put(name, image(100))
  expect((await first.find('a'))?.bytes).toEqual(image(100).bytes)
  await first.put('d', image(100))
  expect(await first.find('b')).toBeNull()
  expect(readdirSync(directory)).toHaveLength(3)
  writeFileSync(join(directory, 'x.partial'), 'half')
  const second = new ImageCache(directory, now, 350)
  expect((await second.find('d'))?.type).toBe('image/png')
  expect(readdirSync(directory)).toHaveLength(3)
})

test('an old image is fetched again, and a file that is gone is no error', async () => {
  const directory = join(scratch, 'b')
  let time = Date.now()
  const images = new ImageCache(directory, () => time)
  await images.put('a', image(5))
  time += 25 * HOUR
  expect(await images.find('a')).toBeNull()
  await images.put('a', image(5))
  for (const name of readdirSync(directory)) rmSync(join(directory, name))
  expect(await images.find('a')).toBeNull()
})
