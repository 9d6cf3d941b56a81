/**
 * Images for Docker. The server fetches them itself, because the daemon would do so as root, with
 * networks and proxies of its own, and gives them to the daemon as an archive.
 */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { isDigest, isImageName, isImageTag } from '#lib/container-image.ts'
import { writeTar } from '#lib/archives/tar.ts'
import { faultOf } from './client.ts'
import { docker } from './docker.ts'
import { fetchFiles, findManifest, type ImageFile, type ImageFiles } from './image-files.ts'
import { registryOf, repositoryOf, type FindRegistry, type ImageToPull } from './pull.ts'
import { Repository } from './registry.ts'

/** What stands for a digest among the tags of the daemon, which knows digests of its own fetches only. */
const tagOf = (digest: string): string => digest.replace(':', '-')

/** The name that an image has here: one by its digest has a tag for that. */
export function localName(image: string): string {
  const [, digest] = image.split('@')
  return digest === undefined ? image : `${repositoryOf(image)}:${tagOf(digest)}`
}

/** The tag or the digest; a tag beside a digest does not count. */
function referenceOf(image: string): string {
  const [name = '', digest] = image.split('@')
  if (digest !== undefined) return digest
  return name.slice(repositoryOf(image).length + 1) || 'latest'
}

type LoadOptions = {
  readonly folder: string
  readonly findRegistry: FindRegistry
  readonly signal: AbortSignal
}

/** Returns why the image could not be fetched; null when it is here now. */
export async function loadImage(
  { image, credentials }: ImageToPull,
  { folder, ...options }: LoadOptions,
): Promise<string | null> {
  const name = repositoryOf(image).slice(registryOf(image).length + 1)
  const reference = referenceOf(image)
  if (!isImageName(name) || !(isDigest(reference) || isImageTag(reference)))
    return 'this is no name of an image'
  try {
    const repository = new Repository(registryOf(image), name, credentials, options)
    const { digest, document } = await findManifest(repository, reference)
    const local = localName(`${repositoryOf(image)}@${digest}`)
    if ((await docker(['image', 'inspect', '--', local])).exit !== 0)
      await load(await fetchFiles(repository, document, folder), local, options.signal)
    if (localName(image) === local) return null
    const tagged = await docker(['tag', local, image])
    return tagged.exit === 0 ? null : faultOf(tagged)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const fileOf = (path: string, { path: from, size }: ImageFile) => ({
  path,
  isExecutable: false,
  size,
  data: createReadStream(from),
})

/** The archive that `docker load` reads. The server names the image, whatever is in it. */
async function* archiveOf({ config, layers }: ImageFiles, name: string) {
  const names = layers.map((_, at) => `${at}/layer.tar`)
  const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: names }]
  const text = Buffer.from(JSON.stringify(manifest))
  const data = Readable.from([text])
  yield { path: 'manifest.json', isExecutable: false, size: text.length, data }
  yield fileOf('config.json', config)
  for (const [at, layer] of layers.entries()) yield fileOf(names[at] ?? '', layer)
}

async function load(files: ImageFiles, name: string, signal: AbortSignal): Promise<void> {
  const loaded = await docker(['load', '-q'], {
    input: writeTar(archiveOf(files, name)),
    signal,
    timeoutMs: null,
  })
  if (loaded.exit !== 0) throw new Error(`Docker does not take it: ${faultOf(loaded)}`)
}
