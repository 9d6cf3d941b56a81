/**
 * Buckets of object stores that speak S3. An object appears there whole or not at all, and
 * everybody sees it from then on
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel). So uploads
 * need no temporary name.
 */
import { withTimeout } from './waiting.ts'

export type BucketSettings = {
  /** Null for Amazon S3. */
  readonly endpoint: string | null
  readonly region: string
  readonly access_key: string
  readonly secret_key: string
}

/** A request failed. The message is one line that an administrator can act upon. */
export class BucketError extends Error {
  override name = 'BucketError'
}

/** The object does not exist. */
export class NoSuchObject extends BucketError {}

export type StoredObject = {
  readonly name: string
  readonly size: number
  readonly modified_ms: number
}

/** Reads `length` bytes at an offset; fewer only at the end. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>

export type Bucket = {
  /** For people and for records. */
  readonly address: string
  /** All objects whose name begins with a prefix, in the order of names. */
  list(prefix: string): AsyncGenerator<StoredObject>
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Uploads an object that is too large for memory, one part at a time. */
  upload(name: string, size: number, read: ReadAt): Promise<void>
  /** Throws NoSuchObject. */
  get(name: string): Promise<Uint8Array>
  /** Up to `length` bytes of an object from an offset. Throws NoSuchObject. */
  range(name: string, offset: number, length: number): Promise<Uint8Array>
  /** Null when there is no such object. */
  sizeOf(name: string): Promise<number | null>
  remove(name: string): Promise<void>
}

export type BucketOptions = {
  /** How often a request is sent at most; requests whose connection broke are sent again. */
  readonly tries?: number
  /** Milliseconds that one request may take; no limit unless given. */
  readonly timeoutMs?: number
}

const DEFAULT_TRIES = 4
/** The delay before the first retry. Each further one is four times as long. */
const FIRST_RETRY_MS = 250
/** The default size of a part of a large object. */
export const PART_BYTES = 8 * 1024 ** 2
/** S3 accepts 10,000 parts. */
const MAX_PARTS = 9_000
/** Parts of one object that are sent at once. */
const PARALLEL_PARTS = 2
const LIST_PAGE = 1000

/** Errors that a retry does not change. */
const FINAL_CODES = new Set([
  'NoSuchBucket',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AccessDenied',
  'ERR_S3_MISSING_CREDENTIALS',
  'ERR_S3_INVALID_ENDPOINT',
])
const MESSAGES: Readonly<Record<string, string>> = {
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

/** The part size with which an object has at most `MAX_PARTS` parts. */
const partSizeOf = (size: number): number =>
  Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS / 1024 ** 2) * 1024 ** 2)

const cutShort = (name: string): BucketError =>
  new BucketError(`${name} became shorter while it was written`)

export const openBucket = (
  bucket: string,
  prefix: string,
  settings: BucketSettings,
  options: BucketOptions = {},
): Bucket => new S3Bucket(bucket, prefix, settings, options)

/** The names of its objects are below the prefix. Its methods throw BucketError. */
class S3Bucket implements Bucket {
  readonly address: string
  readonly #client: Bun.S3Client
  readonly #tries: number
  readonly #timeoutMs: number | null

  constructor(
    bucket: string,
    private readonly prefix: string,
    settings: BucketSettings,
    options: BucketOptions,
  ) {
    this.address = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
    this.#tries = options.tries ?? DEFAULT_TRIES
    this.#timeoutMs = options.timeoutMs ?? null
    this.#client = new Bun.S3Client({
      bucket,
      region: settings.region,
      accessKeyId: settings.access_key,
      secretAccessKey: settings.secret_key,
      ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    })
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    let after: string | undefined
    for (;;) {
      const page = await this.#retry(() =>
        this.#client.list({
          prefix: this.#key(prefix),
          maxKeys: LIST_PAGE,
          ...(after === undefined ? {} : { startAfter: after }),
        }),
      )
      const contents = page.contents ?? []
      for (const { key, size, lastModified } of contents) {
        yield {
          name: this.prefix === '' ? key : key.slice(this.prefix.length + 1),
          size: size ?? 0,
          modified_ms: lastModified === undefined ? 0 : Date.parse(lastModified),
        }
      }
      const last = contents.at(-1)
      if (!page.isTruncated || !last) return
      after = last.key
    }
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#retry(() => this.#client.write(this.#key(name), bytes))
  }

  async upload(name: string, size: number, read: ReadAt): Promise<void> {
    if (size > PART_BYTES) return await this.#uploadInParts(name, size, read)
    const bytes = await read(0, size)
    if (bytes.length !== size) throw cutShort(name)
    await this.put(name, bytes)
  }

  async get(name: string): Promise<Uint8Array> {
    return await this.#retry(
      async () => new Uint8Array(await this.#client.file(this.#key(name)).arrayBuffer()),
    )
  }

  async range(name: string, offset: number, length: number): Promise<Uint8Array> {
    const read = () => this.#client.file(this.#key(name)).slice(offset, offset + length)
    return await this.#retry(async () => new Uint8Array(await read().arrayBuffer()))
  }

  async sizeOf(name: string): Promise<number | null> {
    try {
      return (await this.#retry(() => this.#client.file(this.#key(name)).stat())).size
    } catch (error) {
      if (error instanceof NoSuchObject) return null
      throw error
    }
  }

  async remove(name: string): Promise<void> {
    await this.#retry(() => this.#client.delete(this.#key(name)))
  }

  #key(name: string): string {
    return this.prefix === '' ? name : `${this.prefix}/${name}`
  }

  #bucketError(error: unknown): BucketError {
    const { code, message } = error as { code?: string; message?: string }
    if (code === 'NoSuchKey') return new NoSuchObject(`${this.address}: an object is missing`)
    const reason = (code !== undefined && MESSAGES[code]) || (message ?? String(error))
    return new BucketError(`${this.address}: ${reason}`)
  }

  /** Sends a request again after a broken connection, but not after a refusal. */
  async #retry<T>(request: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#withinTimeout(request())
      } catch (error) {
        const { code = '' } = error as { code?: string }
        const isFinal = code === 'NoSuchKey' || FINAL_CODES.has(code)
        if (isFinal || attempt >= this.#tries) throw this.#bucketError(error)
        const delayMs = FIRST_RETRY_MS * 4 ** (attempt - 1)
        await new Promise((resolve) => setTimeout(resolve, delayMs))
      }
    }
  }

  async #withinTimeout<T>(request: Promise<T>): Promise<T> {
    if (this.#timeoutMs === null) return await request
    return await withTimeout(request, this.#timeoutMs, () => {
      throw new BucketError('it does not answer')
    })
  }

  /**
   * Uploads from a stream. A stream that fails aborts the upload; a writer would complete it with
   * the parts sent so far.
   */
  async #uploadInParts(name: string, size: number, read: ReadAt): Promise<void> {
    let offset = 0
    let failure: unknown = null
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (offset >= size) return controller.close()
      const part = await read(offset, Math.min(PART_BYTES, size - offset))
      if (part.length === 0) throw cutShort(name)
      offset += part.length
      controller.enqueue(part)
    }
    const bytes = new ReadableStream<Uint8Array>(
      {
        pull: (controller) =>
          pull(controller).catch((error: unknown) => {
            failure = error
            throw error
          }),
      },
      { highWaterMark: 0 },
    )
    try {
      await this.#client.write(this.#key(name), new Response(bytes), {
        partSize: partSizeOf(size),
        queueSize: PARALLEL_PARTS,
        retry: Math.max(1, this.#tries - 1),
      })
    } catch (error) {
      throw failure ?? this.#bucketError(error)
    }
  }
}
