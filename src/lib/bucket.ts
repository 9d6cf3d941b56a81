/**
 * A bucket of anything that speaks S3. An object appears there as a whole or not at all, and is
 * seen by everybody from then on
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel), so nothing
 * is written under another name first.
 */
import { inTime } from './waiting.ts'

export type BucketSettings = {
  /** Null for Amazon's own. */
  readonly endpoint: string | null
  readonly region: string
  readonly access_key: string
  readonly secret_key: string
}

/**
 * What the bucket refuses, or that it cannot be reached, in one line that a person can act upon.
 */
export class BucketError extends Error {
  override name = 'BucketError'
}

/** There is no such object. */
export class NoSuchObject extends BucketError {}

export type StoredObject = {
  readonly name: string
  readonly size: number
  readonly modified_ms: number
}

/** Reads so many bytes from there on; fewer only at the end. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>

/** Names are below the folder that it was opened for. Everything gives BucketError. */
export type Bucket = {
  /** For people and for records. */
  readonly address: string
  /** Everything whose name begins so, in the order of names. */
  list(prefix: string): AsyncGenerator<StoredObject>
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Writes what is too large for memory, a part at a time. */
  upload(name: string, size: number, read: ReadAt): Promise<void>
  /** Gives NoSuchObject when it is not there. */
  get(name: string): Promise<Uint8Array>
  /**
   * Bytes of an object from an offset on, at most so many. Gives NoSuchObject when it is not there.
   */
  range(name: string, offset: number, length: number): Promise<Uint8Array>
  /** Null when it is not there. */
  sizeOf(name: string): Promise<number | null>
  remove(name: string): Promise<void>
}

export type BucketOptions = {
  /** Requests that go wrong on the way are sent again, so often in all. */
  readonly tries?: number
  /** How long one request may take, in milliseconds; without a limit unless given. */
  readonly patience?: number
}

const TRIES = 4
/** What goes in one part of a large object: S3 takes 10,000 of them. */
export const PART = 8 * 1024 ** 2
const MOST_PARTS = 9_000
/** Parts of one object that are under way at once. */
const QUEUE = 2

const FINAL = new Set([
  'NoSuchBucket',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AccessDenied',
  'ERR_S3_MISSING_CREDENTIALS',
  'ERR_S3_INVALID_ENDPOINT',
])
const WORDS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  InvalidAccessKeyId: 'the access key is not known',
  SignatureDoesNotMatch: 'the secret key is wrong',
  AccessDenied: 'access is denied',
  ConnectionRefused: 'it cannot be reached',
  FailedToOpenSocket: 'it cannot be reached',
  ConnectionClosed: 'the connection broke',
}

/** The bucket and the folder of `s3://bucket/folder`; null for anything else. */
export function parseBucket(address: string): { bucket: string; prefix: string } | null {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/?$/.exec(address)
  return match && { bucket: match[1] ?? '', prefix: match[2] ?? '' }
}

/** Size of a part that lets a whole object go in as many as are allowed. */
const partOf = (size: number): number =>
  Math.max(PART, Math.ceil(size / MOST_PARTS / 1024 ** 2) * 1024 ** 2)

async function within<T>(request: Promise<T>, patience: number | null): Promise<T> {
  if (patience === null) return await request
  return await inTime(request, patience, () => {
    throw new BucketError('it does not answer')
  })
}

export function openBucket(
  bucket: string,
  prefix: string,
  settings: BucketSettings,
  options: BucketOptions = {},
): Bucket {
  const address = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  const tries = options.tries ?? TRIES
  const patience = options.patience ?? null
  const client = new Bun.S3Client({
    bucket,
    region: settings.region,
    accessKeyId: settings.access_key,
    secretAccessKey: settings.secret_key,
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
  })
  const key = (name: string): string => (prefix === '' ? name : `${prefix}/${name}`)

  const told = (error: unknown): BucketError => {
    const { code, message } = error as { code?: string; message?: string }
    if (code === 'NoSuchKey') return new NoSuchObject(`${address}: an object is missing`)
    return new BucketError(
      `${address}: ${(code !== undefined && WORDS[code]) || (message ?? String(error))}`,
    )
  }

  /** A refusal is final, a connection that broke is not. */
  async function again<T>(request: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await within(request(), patience)
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        if (code === 'NoSuchKey' || FINAL.has(code) || attempt >= tries) throw told(error)
        await new Promise((resolve) => setTimeout(resolve, 250 * 4 ** (attempt - 1)))
      }
    }
  }

  /** A stream that fails gives the parts up; a writer would finish with what it has. */
  async function inParts(name: string, size: number, read: ReadAt): Promise<void> {
    let at = 0
    let failure: unknown = null
    const bytes = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            if (at >= size) return controller.close()
            const part = await read(at, Math.min(PART, size - at))
            if (part.length === 0)
              throw new BucketError(`${name} became shorter while it was written`)
            at += part.length
            controller.enqueue(part)
          } catch (error) {
            failure = error
            throw error
          }
        },
      },
      { highWaterMark: 0 },
    )
    try {
      await client.write(key(name), new Response(bytes), {
        partSize: partOf(size),
        queueSize: QUEUE,
        retry: Math.max(1, tries - 1),
      })
    } catch (error) {
      throw failure ?? told(error)
    }
  }

  return {
    address,
    async *list(start) {
      let after: string | undefined
      for (;;) {
        const answer = await again(() =>
          client.list({
            prefix: key(start),
            maxKeys: 1000,
            ...(after === undefined ? {} : { startAfter: after }),
          }),
        )
        const contents = answer.contents ?? []
        for (const { key: name, size, lastModified } of contents) {
          yield {
            name: prefix === '' ? name : name.slice(prefix.length + 1),
            size: size ?? 0,
            modified_ms: lastModified === undefined ? 0 : Date.parse(lastModified),
          }
        }
        const last = contents.at(-1)
        if (!answer.isTruncated || !last) return
        after = last.key
      }
    },
    async put(name, bytes) {
      await again(() => client.write(key(name), bytes))
    },
    async upload(name, size, read) {
      if (size <= PART) {
        const bytes = await read(0, size)
        if (bytes.length !== size)
          throw new BucketError(`${name} became shorter while it was written`)
        await again(() => client.write(key(name), bytes))
        return
      }
      await inParts(name, size, read)
    },
    get: (name) => again(async () => new Uint8Array(await client.file(key(name)).arrayBuffer())),
    range: (name, offset, length) =>
      again(
        async () =>
          new Uint8Array(
            await client
              .file(key(name))
              .slice(offset, offset + length)
              .arrayBuffer(),
          ),
      ),
    async sizeOf(name) {
      try {
        return (await again(() => client.file(key(name)).stat())).size
      } catch (error) {
        if (error instanceof NoSuchObject) return null
        throw error
      }
    },
    async remove(name) {
      await again(() => client.delete(key(name)))
    },
  }
}
