// The versions of images and documents in a change: their addresses, sizes and dimensions.
import { getFile } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { ChangedImage, DiffFile, ImageSide } from '../../components/index.ts'
import { codePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { imageSize } from './image-size.ts'

/** Image types of browsers. SVG is shown in an `img`, where its scripts do not run. */
export const IMAGE = /\.(png|jpe?g|gif|webp|avif|ico|bmp|svg)$/i

/** Both versions of so many images are read for a page. The others are loaded near the window. */
const MAX_IMAGES = 6
/** A larger image is shown on request. */
const MAX_SHOWN_BYTES = 8 * 1024 * 1024

const SYMLINK = '120000'
const SUBMODULE = '160000'

/** Text with an image's name is a pointer of Git LFS, unless it is SVG. */
const isImage = ({ path, binary, mode, old_mode }: DiffFile): boolean =>
  IMAGE.test(path) &&
  (binary === true || /\.svg$/i.test(path)) &&
  ![mode, old_mode].some((one) => one === SYMLINK || one === SUBMODULE)

async function sideAt(
  visit: Visit,
  repo: string,
  sha: string,
  path: string,
): Promise<ImageSide | null> {
  try {
    const file = await visit.call(getFile, { repo, ref: sha, path })
    const bytes =
      file.encoding === 'base64'
        ? new Uint8Array(Buffer.from(file.content, 'base64'))
        : new TextEncoder().encode(file.content)
    return {
      src: codePath(repo, 'raw', sha, path),
      bytes: file.size,
      size: imageSize(bytes),
      tooLarge: file.size > MAX_SHOWN_BYTES,
    }
  } catch (error) {
    // The version is not kept any more, or is no file.
    if (error instanceof Refusal && error.status < 500) return null
    throw error
  }
}

/** The commits whose files are compared. Without `from` no one commit has the old versions. */
export type Versions = {
  readonly repo: string
  readonly sha: string
  readonly from?: string | null
}

async function imageOf(
  visit: Visit,
  { repo, sha, from }: Versions,
  file: DiffFile,
): Promise<ChangedImage | null> {
  const [before, after] = await Promise.all([
    file.status === 'added' || !from ? null : sideAt(visit, repo, from, file.old_path ?? file.path),
    file.status === 'removed' ? null : sideAt(visit, repo, sha, file.path),
  ])
  return before === null && after === null ? null : { before, after }
}

/** Adds their versions to the first images. The others get a link, as do those that are folded. */
export async function withImages<T extends DiffFile>(
  visit: Visit,
  versions: Versions,
  files: readonly T[],
): Promise<(T & Pick<DiffFile, 'image'>)[]> {
  const images = files.filter(isImage)
  const shown = new Set(
    images
      .filter(({ viewed }) => files.length === 1 || !viewed)
      .slice(0, MAX_IMAGES)
      .map(({ path }) => path),
  )
  return Promise.all(
    files.map(async (file) =>
      !isImage(file)
        ? file
        : shown.has(file.path)
          ? { ...file, image: (await imageOf(visit, versions, file)) ?? undefined }
          : { ...file, image: 'later' as const },
    ),
  )
}
