/** Images that jobs build: what they are called, which are here, and which are deleted again. */
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY, MINUTE, systemClock } from '#lib/time.ts'
import { MAX_FILE_BYTES } from '../dockerfile/lines.ts'
import type { ExceededLimit } from '../watch-limits.ts'
import type { Call } from './client.ts'

/** Images that jobs have built have this name; the tag is the hash of what they are built from. */
export const BUILT = 'localhost/hearth-action'
export const BUILT_LABEL = 'hearth.built'

export type ImageBuild = {
  /** A folder of the server below that of the job, which has the files in its folder `context`. */
  readonly folder: string
  /** The name of the Dockerfile in `context`. */
  readonly file: string
  /** The name that the image gets. */
  readonly image: string
  readonly output: (bytes: Uint8Array) => Promise<void> | void
  readonly signal: AbortSignal
}

/** The folder of the files below that of the build. */
export const CONTEXT = 'context'

/**
 * The text of the Dockerfile; null where it is no file, or larger than `MAX_FILE_BYTES`. A link would
 * lead the server out of the folder.
 */
export async function dockerfileOf({ folder, file }: ImageBuild): Promise<string | null> {
  const path = join(folder, CONTEXT, file)
  const found = await lstat(path).catch(() => null)
  return found?.isFile() && found.size <= MAX_FILE_BYTES ? readFile(path, 'utf8') : null
}

/** Why a build ended that took more than its job may. */
export const TOO_MUCH: Readonly<Record<ExceededLimit, string>> = {
  memory: 'it was out of memory',
  disk: 'it was out of disk space',
  full_disk: 'the disk of the server is nearly full',
}

/** Older ones are built anew, so that what they are made of does not grow old. */
const MAX_AGE_MS = 7 * DAY
const MAX_IMAGES = 30
/** A job may be about to start a container of one that is younger. */
const MIN_AGE_MS = 60 * MINUTE

/** The name of the image that is built from what has this hash. */
export const builtImage = (hash: string): string => `${BUILT}:${hash}`

const ageOf = (created: string): number => systemClock.now() - Date.parse(created)

/** Those of podman or of Docker, whose client is called. */
export class BuiltImages {
  constructor(private readonly call: Call) {}

  async isBuilt(image: string): Promise<'no' | 'old' | 'fresh'> {
    const found = await this.call([
      'image',
      'inspect',
      '--format',
      '{{json .Created}}',
      '--',
      image,
    ])
    if (found.exit !== 0) return 'no'
    return ageOf(JSON.parse(found.output) as string) < MAX_AGE_MS ? 'fresh' : 'old'
  }

  /** Deletes the oldest images beyond those that are kept, and what newer ones of a name replaced. */
  async evict(): Promise<void> {
    const images = (await this.#list()).toSorted((a, b) => ageOf(a.created) - ageOf(b.created))
    const isNamed = ({ names }: Listed): boolean => names.some((name) => name.startsWith(BUILT))
    const named = images.filter(isNamed)
    const rest = [...named.slice(MAX_IMAGES), ...images.filter((one) => !isNamed(one))]
    // One that a container uses stays.
    for (const { id, created } of rest)
      if (ageOf(created) > MIN_AGE_MS) await this.call(['rmi', '--', id])
  }

  async #list(): Promise<Listed[]> {
    const found = await this.call([
      ...['images', '-q', '--no-trunc', '--filter', `label=${BUILT_LABEL}`],
    ])
    const ids = [...new Set(found.output.split('\n').filter((id) => id !== ''))]
    if (found.exit !== 0 || ids.length === 0) return []
    const format = '{{.Id}}\t{{json .Created}}\t{{json .RepoTags}}'
    const { output } = await this.call(['image', 'inspect', '--format', format, '--', ...ids])
    return output.split('\n').flatMap((line) => {
      const [id = '', created, names] = line.split('\t')
      if (created === undefined || names === undefined) return []
      return [
        {
          id,
          created: JSON.parse(created) as string,
          names: (JSON.parse(names) as string[] | null) ?? [],
        },
      ]
    })
  }
}

type Listed = { readonly id: string; readonly created: string; readonly names: readonly string[] }
