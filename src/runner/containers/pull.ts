/** Fetches images for jobs: which ones, and for whom. How is a matter of the program that has them. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobDirectory } from '../job-directory.ts'

export type ImageToPull = {
  readonly image: string
  readonly credentials: { readonly username: string; readonly password: string } | null
}

/** The address that a connection to a registry goes to. Throws an Error for one that is refused. */
export type FindRegistry = (host: string, port: number) => Promise<string>

/** Where the program that has the containers gets its images. */
export type ImageSource = {
  isHere(image: string): Promise<boolean>
  /** Returns why the image could not be fetched; null when it is here now. The folder is the server's. */
  fetch(image: ImageToPull, folder: string, signal: AbortSignal): Promise<string | null>
}

type PullOptions = {
  readonly source: ImageSource
  readonly directory: JobDirectory
  /** Where it is kept which images only some may use. */
  readonly privateImages: string
  readonly signal: AbortSignal
}

/** The registry of an image, as files of credentials name it. */
export const registryOf = (image: string): string => image.slice(0, image.indexOf('/'))

/** Without its tag and its digest. */
export const repositoryOf = (image: string): string =>
  (image.split('@')[0] ?? '').replace(/:[^/:]*$/, '')

/** Fetches an image that is not here, or whose tag may have moved. */
export async function pullImage(
  wanted: ImageToPull,
  { source, directory, privateImages, signal }: PullOptions,
): Promise<void> {
  const { image, credentials } = wanted
  const isHere = await source.isHere(image)
  if (registryOf(image) === 'localhost') {
    if (isHere) return
    throw new Error(`this machine has no image ${image}`)
  }
  // A job that gives no credentials, or others, must not get what somebody fetched with theirs.
  const mark = join(privateImages, createHash('sha256').update(repositoryOf(image)).digest('hex'))
  if (credentials !== null) {
    await mkdir(privateImages, { recursive: true, mode: 0o700 })
    await writeFile(mark, repositoryOf(image))
  }
  const isPrivate = existsSync(mark)
  if (isHere && !isPrivate && image.includes('@sha256:')) return
  const folder = join(directory.folder, 'registry')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const fault = await source.fetch(wanted, folder, signal)
    // A registry that is away is no reason to stop while the image is here.
    if (fault !== null && (!isHere || isPrivate))
      throw new Error(`the image ${image} cannot be fetched: ${fault}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
