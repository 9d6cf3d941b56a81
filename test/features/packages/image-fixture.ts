/** A world with one image in it, for the operations behind the registry of containers. */
import { storeBlob } from '#core/blobs.ts'
import type { SignedIn } from '#core/caller.ts'
import { parseManifest } from '#features/packages/formats/container/manifest.ts'
import { linkImageBlob } from '#features/packages/images/link-image-blob.ts'
import { putImageManifest } from '#features/packages/images/put-image-manifest.ts'
import { makePackageWorld } from './fixture.ts'

export const image = {
  workspace: 'acme',
  package_type: 'container' as const,
  package_name: 'app',
}

const TYPE = 'application/vnd.oci.image.manifest.v1+json'

export async function makeImageWorld() {
  const all = await makePackageWorld()
  const link = async (text: string, by: SignedIn = all.ada, target = image): Promise<string> => {
    const bytes = async function* () {
      yield Buffer.from(text)
    }
    const { sha256, size } = await storeBlob(all.world.hearth, bytes(), { maxBytes: 1e6 })
    const digest = `sha256:${sha256}`
    await all.world.call(linkImageBlob, by, { ...target, digest, sha256, size_in_bytes: size })
    return digest
  }
  const put = async (
    document: object,
    tags: string[],
    by: SignedIn = all.ada,
    target = image,
  ): Promise<string> => {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, ...document }))
    const manifest = parseManifest(bytes, TYPE, tags[0] ?? 'x')
    await all.world.call(putImageManifest, by, { ...target, manifest, tags })
    return manifest.digest
  }
  return {
    ...all,
    link,
    put,
    /** Publishes an image with one layer. */
    push: async (
      layer: string,
      tags: string[],
      by: SignedIn = all.ada,
      place: { readonly workspace?: string; readonly package_name?: string } = {},
    ): Promise<string> => {
      const target = { ...image, ...place }
      const digest = await link(layer, by, target)
      return put({ layers: [{ mediaType: 'x', digest, size: layer.length }] }, tags, by, target)
    },
  }
}
