/** npm packages as `npm publish` sends them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmTarball } from '../../../test/features/packages/fixture.ts'
import type { Registry } from './servers.ts'

const versionAt = (index: number): string => `1.0.${index}`

function manifestOf(
  { npm }: Pick<Registry, 'npm'>,
  name: string,
  version: string,
  tarball: Buffer,
) {
  const digest = (kind: 'sha1' | 'sha512') => new Bun.CryptoHasher(kind).update(tarball)
  return {
    name,
    version,
    description: 'A package to measure with',
    dependencies: { one: '^1.0.0', two: '~2.3.0', three: '>=3' },
    dist: {
      shasum: digest('sha1').digest('hex'),
      integrity: `sha512-${digest('sha512').digest('base64')}`,
      tarball: `${npm}/${name}/-/${name}-${version}.tgz`,
    },
  }
}

function publishBody(
  registry: Pick<Registry, 'npm'>,
  name: string,
  version: string,
  size: number,
): string {
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536))))
  const text = size === 0 ? '' : noise.toString('base64').repeat(Math.ceil(size / 87_384))
  const tarball = npmTarball({ name, version }, size === 0 ? {} : { 'a.txt': text })
  const manifest = manifestOf(registry, name, version, tarball)
  const data = tarball.toString('base64')
  return JSON.stringify({
    ...{ _id: name, name, 'dist-tags': { latest: version }, versions: { [version]: manifest } },
    _attachments: {
      [`${name}-${version}.tgz`]: {
        ...{ content_type: 'application/octet-stream', data, length: tarball.length },
      },
    },
  })
}

export async function publish(
  registry: Pick<Registry, 'name' | 'npm' | 'headers'>,
  name: string,
  version = versionAt(0),
  size = 0,
): Promise<void> {
  const response = await fetch(`${registry.npm}/${name}`, {
    method: 'PUT',
    body: publishBody(registry, name, version, size),
    headers: { ...registry.headers, 'content-type': 'application/json' },
  })
  if (!response.ok) throw new Error(`${registry.name}: ${name}: ${await response.text()}`)
}

export async function publishVersions(registry: Registry, name: string, count: number) {
  for (let at = 0; at < count; at++) await publish(registry, name, versionAt(at))
}

/** Verdaccio takes a second for each version of a large package, so its file is written at once. */
export async function writeVersions(registry: Registry, name: string, count: number) {
  await publish(registry, name)
  const folder = join(registry.directory, 'data', name)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'package.json')
  const document = await Bun.file(path).json()
  for (let at = 0; at < count; at++) {
    const version = versionAt(at)
    document.versions[version] = manifestOf(registry, name, version, npmTarball({ name, version }))
    document.time[version] = new Date().toISOString()
  }
  document['dist-tags'].latest = versionAt(count - 1)
  writeFileSync(path, JSON.stringify(document))
}

/** Reads a packument as npm does, some at once. */
export async function readPackument(registry: Registry, name: string, times: number, lanes = 8) {
  let left = times
  const headers = { ...registry.headers, accept: 'application/json', 'accept-encoding': 'gzip' }
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (left-- > 0) {
        const response = await fetch(`${registry.npm}/${name}`, { headers, decompress: false })
        if (!response.ok) throw new Error(`${registry.name}: ${name}: ${response.status}`)
        await response.arrayBuffer()
      }
    }),
  )
}
