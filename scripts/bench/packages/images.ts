/** Pushes and pulls of layers, as clients of containers do them. */
import { createHash } from 'node:crypto'
import { createWriteStream, statSync, truncateSync, writeFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Registry } from './servers.ts'

export type Layer = { readonly path: string; readonly digest: string; readonly size: number }

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const BLOCK_BYTES = 4 * 1024 ** 2

/** Bytes that do not compress; each block has its number in front, so that no two are equal. */
async function* noise(size: number, salt: number): AsyncGenerator<Buffer> {
  const block = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
  const large = Buffer.concat(Array.from({ length: BLOCK_BYTES / block.length }, () => block))
  for (let at = 0; at < size; at += large.length) {
    const copy = Buffer.from(large.subarray(0, Math.min(large.length, size - at)))
    copy.writeDoubleLE(at + salt)
    yield copy
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const part of Bun.file(path).stream()) hash.update(part)
  return `sha256:${hash.digest('hex')}`
}

export async function makeLayer(path: string, size: number, salt = 0): Promise<Layer> {
  await pipeline(noise(size, salt), createWriteStream(path))
  return { path, digest: await digestOfFile(path), size: statSync(path).size }
}

/** A file of zeros that takes no space here; the registry stores every byte. */
export async function makeSparseLayer(path: string, size: number): Promise<Layer> {
  writeFileSync(path, '')
  truncateSync(path, size)
  return { path, digest: await digestOfFile(path), size }
}

async function send(registry: Registry, url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    headers: { ...registry.headers, ...init.headers },
  })
  if (!response.ok)
    throw new Error(`${registry.name}: ${init.method} ${url}: ${await response.text()}`)
  return response
}

const OCTETS = { 'content-type': 'application/octet-stream' }

async function beginUpload(registry: Registry, name: string): Promise<string> {
  const url = `${registry.images}/${name}/blobs/uploads/`
  const response = await send(registry, url, { method: 'POST' })
  return new URL(response.headers.get('location') ?? '', url).href
}

const withDigest = (location: string, digest: string): string =>
  `${location}${location.includes('?') ? '&' : '?'}digest=${digest}`

export async function pushByPut(registry: Registry, name: string, layer: Layer): Promise<void> {
  const location = await beginUpload(registry, name)
  const body = Bun.file(layer.path)
  await send(registry, withDigest(location, layer.digest), { method: 'PUT', body, headers: OCTETS })
}

export async function pushByPatch(registry: Registry, name: string, layer: Layer): Promise<void> {
  const location = await beginUpload(registry, name)
  const body = Bun.file(layer.path)
  const patched = await send(registry, location, { method: 'PATCH', body, headers: OCTETS })
  const next = new URL(patched.headers.get('location') ?? '', location).href
  await send(registry, withDigest(next, layer.digest), { method: 'PUT' })
}

export async function pull(registry: Registry, path: string): Promise<void> {
  const response = await send(registry, `${registry.images}/${path}`, {
    method: 'GET',
    headers: { accept: MANIFEST },
  })
  if (response.body) for await (const part of response.body) void part.length
}

/** An image of a configuration and two small layers; gives the paths that a pull asks for. */
export async function pushSmallImage(registry: Registry, name: string): Promise<string[]> {
  const blobs: object[] = []
  const paths = [`${name}/manifests/v1`]
  for (const text of ['{}', 'a'.repeat(2000), 'b'.repeat(20_000)]) {
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    const location = withDigest(await beginUpload(registry, name), digest)
    await send(registry, location, { method: 'PUT', body: text, headers: OCTETS })
    blobs.push({ mediaType: 'application/octet-stream', digest, size: text.length })
    paths.push(`${name}/blobs/${digest}`)
  }
  const [config, ...layers] = blobs
  const body = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers })
  const headers = { 'content-type': MANIFEST }
  const url = `${registry.images}/${name}/manifests/v1`
  await send(registry, url, { method: 'PUT', body, headers })
  return paths
}
