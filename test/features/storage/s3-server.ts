/**
 * A small server of S3 in this process: objects in memory, whole or in parts, lists, ranges. It
 * believes whoever asks.
 */
import { afterAll } from 'bun:test'

export type S3Server = {
  readonly endpoint: string
  readonly objects: Map<string, Uint8Array>
  /** Requests that it answered, as `PUT key`. */
  readonly requests: string[]
  /** Refuses everything while it is set. */
  down: boolean
  /** Awaited before an object is given out. */
  before: (key: string) => Promise<void>
}

const xml = (text: string, status = 200): Response =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    status,
    headers: { 'content-type': 'application/xml' },
  })
const failed = (code: string, status: number): Response =>
  xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, status)
const stamp = 'Sun, 01 Mar 2026 12:00:00 GMT'

export function startS3(): S3Server {
  const objects = new Map<string, Uint8Array>()
  const parts = new Map<string, Map<number, Uint8Array>>()
  const requests: string[] = []
  const state = { down: false, before: async (_key: string): Promise<void> => {} }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const url = new URL(request.url)
      const [, , ...rest] = url.pathname.split('/')
      const key = decodeURIComponent(rest.join('/'))
      if (state.down) return failed('AccessDenied', 403)
      requests.push(`${request.method} ${key}`)
      const upload = url.searchParams.get('uploadId')
      if (request.method === 'GET' && key === '') return list(url)
      if (request.method === 'POST' && url.searchParams.has('uploads')) {
        const id = crypto.randomUUID()
        parts.set(id, new Map())
        return xml(
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        )
      }
      if (upload !== null && request.method === 'PUT') {
        parts.get(upload)?.set(Number(url.searchParams.get('partNumber')), await request.bytes())
        return new Response(null, { headers: { etag: '"part"' } })
      }
      if (upload !== null && request.method === 'POST') {
        const whole = [...(parts.get(upload) ?? [])]
          .sort(([a], [b]) => a - b)
          .map(([, bytes]) => bytes)
        objects.set(key, Buffer.concat(whole))
        return xml(
          '<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>',
        )
      }
      if (upload !== null && request.method === 'DELETE') return new Response(null, { status: 204 })
      if (request.method === 'PUT') {
        objects.set(key, await request.bytes())
        return new Response(null, { headers: { etag: '"whole"' } })
      }
      if (request.method === 'DELETE') {
        objects.delete(key)
        return new Response(null, { status: 204 })
      }
      if (request.method === 'GET') await state.before(key)
      const bytes = objects.get(key)
      if (!bytes)
        return request.method === 'HEAD'
          ? new Response(null, { status: 404 })
          : failed('NoSuchKey', 404)
      const headers = { etag: '"whole"', 'last-modified': stamp }
      if (request.method === 'HEAD')
        return new Response(null, {
          headers: { ...headers, 'content-length': String(bytes.length) },
        })
      const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '')
      if (!range) return new Response(new Uint8Array(bytes), { headers })
      const part = bytes.slice(Number(range[1]), range[2] === '' ? undefined : Number(range[2]) + 1)
      return new Response(new Uint8Array(part), {
        status: 206,
        headers: {
          ...headers,
          'content-range': `bytes ${range[1]}-${Number(range[1]) + part.length - 1}/${bytes.length}`,
        },
      })
    },
  })
  afterAll(() => server.stop(true))

  function list(url: URL): Response {
    const prefix = url.searchParams.get('prefix') ?? ''
    const after = url.searchParams.get('start-after') ?? ''
    const most = Number(url.searchParams.get('max-keys') ?? 1000)
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const shown = keys.slice(0, most)
    const contents = shown.map(
      (key) =>
        `<Contents><Key>${key}</Key><LastModified>2026-03-01T12:00:00.000Z</LastModified><ETag>"whole"</ETag><Size>${objects.get(key)?.length ?? 0}</Size></Contents>`,
    )
    return xml(
      `<ListBucketResult><IsTruncated>${keys.length > shown.length}</IsTruncated>${contents.join('')}</ListBucketResult>`,
    )
  }

  return {
    endpoint: server.url.origin,
    objects,
    requests,
    get down() {
      return state.down
    },
    set down(down) {
      state.down = down
    },
    get before() {
      return state.before
    },
    set before(before) {
      state.before = before
    },
  }
}
