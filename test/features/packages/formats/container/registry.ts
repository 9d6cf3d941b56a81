/** A client of the container registry, for tests. */
import { createHash } from 'node:crypto'
import { makeServedPackages } from '../../fixture.ts'

export const digestOf = (bytes: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
export const INDEX = 'application/vnd.oci.image.index.v1+json'

export async function makeRegistry() {
  const all = await makeServedPackages()
  const secret = await all.token()
  const send = (path: string, init: RequestInit & { token?: string | null } = {}) => {
    const { token = secret, ...rest } = init
    return all.send(`/v2/acme/${path}`, {
      ...rest,
      ...(token === null ? {} : { token }),
    })
  }
  const pushBlob = async (name: string, bytes: string): Promise<string> => {
    const digest = digestOf(bytes)
    await send(`${name}/blobs/uploads/?digest=${digest}`, { method: 'POST', body: bytes })
    return digest
  }
  return {
    ...all,
    secret,
    /** Asks with ada's token unless told otherwise; null for none. */
    ask: send,
    pushBlob,
    putManifest: (
      name: string,
      reference: string,
      manifest: object,
      change: { type?: string; token?: string } = {},
    ) =>
      send(`${name}/manifests/${reference}`, {
        method: 'PUT',
        body: JSON.stringify(manifest),
        headers: { 'content-type': change.type ?? MANIFEST },
        ...(change.token !== undefined && { token: change.token }),
      }),
    /** Pushes config and a layer, and gives the manifest that names them. */
    image: async (name: string, layer = 'layer') => {
      const config = await pushBlob(name, '{}')
      const digest = await pushBlob(name, layer)
      return {
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: config, size: 2 },
        layers: [
          {
            mediaType: 'application/vnd.oci.image.layer.v1.tar',
            digest,
            size: layer.length,
          },
        ],
      }
    },
  }
}
