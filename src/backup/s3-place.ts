/**
 * A place for backups in a bucket of anything that speaks S3. An object appears there as a whole or not at all
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel), so nothing is written under another name first.
 */
import { BackupError, Missing, wrap, type Place } from './place.ts'

export type S3Settings = {
  /** Null for Amazon's own. */
  readonly endpoint: string | null
  readonly region: string
  readonly access_key: string
  readonly secret_key: string
}

/** Requests that go wrong on the way are sent again so often. */
const TRIES = 4

export function s3Place(bucket: string, prefix: string, settings: S3Settings): Place {
  const address = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  const client = new Bun.S3Client({
    bucket, region: settings.region, accessKeyId: settings.access_key, secretAccessKey: settings.secret_key,
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
  })
  const key = (name: string): string => (prefix === '' ? name : `${prefix}/${name}`)

  /** A refusal is final, a connection that broke is not. */
  async function again<T>(request: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request()
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === 'NoSuchKey') throw new Missing(`${address}: an object is missing`)
        const final = ['NoSuchBucket', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AccessDenied', 'ERR_S3_MISSING_CREDENTIALS', 'ERR_S3_INVALID_ENDPOINT'].includes(code ?? '')
        if (final || attempt === TRIES) throw wrap(address, error)
        await new Promise((resolve) => setTimeout(resolve, 250 * 4 ** (attempt - 1)))
      }
    }
  }

  return {
    address,
    async *list(start) {
      let after: string | undefined
      for (;;) {
        const answer = await again(() => client.list({ prefix: key(start), maxKeys: 1000, ...(after === undefined ? {} : { startAfter: after }) }))
        const contents = answer.contents ?? []
        for (const { key: name, size, lastModified } of contents) {
          yield { name: prefix === '' ? name : name.slice(prefix.length + 1), size: size ?? 0, modified_ms: lastModified === undefined ? 0 : Date.parse(lastModified) }
        }
        const last = contents.at(-1)
        if (!answer.isTruncated || !last) return
        after = last.key
      }
    },
    async put(name, bytes) {
      await again(() => client.write(key(name), bytes))
    },
    get: (name) => again(async () => new Uint8Array(await client.file(key(name)).arrayBuffer())),
    async remove(name) {
      await again(() => client.delete(key(name)))
    },
    settle: async () => {},
    sweep: async () => {},
  }
}

/** The bucket and the prefix of `s3://bucket/prefix`. Gives BackupError for anything else. */
export function parseS3(address: string): { bucket: string; prefix: string } {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/?$/.exec(address)
  if (!match) throw new BackupError(`${JSON.stringify(address)} is no address of a bucket: it must be s3://BUCKET or s3://BUCKET/FOLDER`)
  return { bucket: match[1] ?? '', prefix: match[2] ?? '' }
}
