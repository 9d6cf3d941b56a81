import { expect, test } from 'bun:test'
import { BucketError, NoSuchObject, openBucket, parseBucket, PART_BYTES } from '#lib/bucket.ts'
import { startS3 } from '../features/storage/s3-server.ts'

const s3 = startS3()
const open = (change: { endpoint?: string; tries?: number; timeoutMs?: number } = {}) =>
  openBucket(
    'hearth',
    'a/b',
    {
      endpoint: change.endpoint ?? s3.endpoint,
      region: 'us-east-1',
      access_key: 'a',
      secret_key: 'b',
    },
    {
      tries: change.tries ?? 1,
      ...(change.timeoutMs === undefined ? {} : { timeoutMs: change.timeoutMs }),
    },
  )
const bytesOf = (length: number): Uint8Array =>
  new Uint8Array(length).map((_, at) => (at * 31) % 251)
const reading = (bytes: Uint8Array) => async (offset: number, length: number) =>
  bytes.slice(offset, offset + length)

test('an address is a bucket with or without a folder', () => {
  expect(parseBucket('s3://my-bucket')).toEqual({ bucket: 'my-bucket', prefix: '' })
  expect(parseBucket('s3://my-bucket/some/folder/')).toEqual({
    bucket: 'my-bucket',
    prefix: 'some/folder',
  })
  for (const wrong of ['my-bucket', 's3://', 's3://A/b', 'https://x/y'])
    expect(parseBucket(wrong)).toBeNull()
})

test('small objects are sent whole and large ones in parts, with the same content', async () => {
  const bucket = open()
  for (const size of [0, 10, PART_BYTES, 2 * PART_BYTES + 5]) {
    const bytes = bytesOf(size)
    s3.requests.length = 0
    await bucket.upload(`of ${size}`, size, reading(bytes))
    expect(Buffer.compare(s3.objects.get(`a/b/of ${size}`) ?? new Uint8Array(1), bytes)).toBe(0)
    expect(s3.requests.length).toBe(size <= PART_BYTES ? 1 : 5)
    expect(await bucket.sizeOf(`of ${size}`)).toBe(size)
  }
  expect(await bucket.range('of 10', 3, 4)).toEqual(bytesOf(10).slice(3, 7))
  const names: string[] = []
  for await (const { name } of bucket.list('of')) names.push(name)
  expect(names).toEqual(['of 0', 'of 10', `of ${2 * PART_BYTES + 5}`, `of ${PART_BYTES}`])
})

test('a file that shrinks or cannot be read leaves no object', async () => {
  const bucket = open()
  const bytes = bytesOf(PART_BYTES + 10)
  await expect(bucket.upload('short', 3 * PART_BYTES, reading(bytes))).rejects.toBeInstanceOf(
    BucketError,
  )
  let asked = 0
  const broken = async (offset: number, length: number) => {
    if (++asked === 2) throw new Error('the disk is gone')
    return bytes.slice(offset, offset + length)
  }
  await expect(bucket.upload('broken', PART_BYTES + 10, broken)).rejects.toThrow('the disk is gone')
  expect([...s3.objects.keys()].filter((key) => /short|broken/.test(key))).toEqual([])
})

test('missing objects, refusals and timeouts have different errors', async () => {
  const bucket = open()
  await expect(bucket.get('none')).rejects.toBeInstanceOf(NoSuchObject)
  expect(await bucket.sizeOf('none')).toBeNull()
  s3.down = true
  await expect(bucket.get('of 10')).rejects.toThrow('s3://hearth/a/b: access is denied')
  await expect(bucket.upload('x', 10, reading(bytesOf(10)))).rejects.toThrow('access is denied')
  await expect(
    bucket.upload('x', 2 * PART_BYTES, reading(bytesOf(2 * PART_BYTES))),
  ).rejects.toThrow('access is denied')
  s3.down = false
  await expect(open({ endpoint: 'http://127.0.0.1:9' }).get('x')).rejects.toThrow(
    'it cannot be reached',
  )
  const { promise, resolve } = Promise.withResolvers<void>()
  s3.before = () => promise
  await expect(open({ timeoutMs: 20 }).get('of 10')).rejects.toThrow('it does not answer')
  resolve()
})
