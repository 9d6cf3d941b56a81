/** A bucket of a server of S3 that runs elsewhere, as scripts are told of it and look into it. */
import type { Option } from './options.ts'

export const BUCKET_OPTIONS = {
  endpoint: { kind: 'text', default: 'http://127.0.0.1:9000', help: 'The address of the server.' },
  bucket: { kind: 'text', default: 'hearth', help: 'A bucket that exists.' },
  region: { kind: 'text', default: 'us-east-1', help: 'Its region.' },
  access: { kind: 'text', default: 'access', help: 'The access key.' },
  secret: { kind: 'text', default: 'secret', help: 'The secret key.' },
} as const satisfies Record<string, Option>

export type BucketOptions = { readonly [Name in keyof typeof BUCKET_OPTIONS]: string }

export const clientOf = ({
  endpoint,
  bucket,
  region,
  access,
  secret,
}: BucketOptions): Bun.S3Client =>
  new Bun.S3Client({ bucket, endpoint, region, accessKeyId: access, secretAccessKey: secret })

/** Everything in a folder. */
export async function listFolder(
  client: Bun.S3Client,
  folder: string,
): Promise<{ readonly key: string; readonly size: number }[]> {
  const found: { key: string; size: number }[] = []
  for (let after: string | undefined; ; ) {
    const { contents = [], isTruncated } = await client.list({
      prefix: `${folder}/`,
      ...(after === undefined ? {} : { startAfter: after }),
    })
    found.push(...contents.map(({ key, size }) => ({ key, size: size ?? 0 })))
    after = contents.at(-1)?.key
    if (!isTruncated || after === undefined) return found
  }
}
