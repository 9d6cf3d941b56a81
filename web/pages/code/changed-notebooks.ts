// Adds what changed in notebooks, cell by cell, to the files of a change.
import { compareNotebooks } from '#features/repos/index.ts'
import type { DiffFile } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import type { Versions } from './changed-images.ts'

/** So many are compared for a page. Others are shown as lines. */
const MAX_NOTEBOOKS = 5

const isNotebook = ({ path, binary, hunks, truncated, reason }: DiffFile): boolean =>
  /\.ipynb$/i.test(path) && !binary && !truncated && !reason && hunks.length > 0

export async function withNotebooks<T extends DiffFile>(
  visit: Visit,
  { repo, sha, from }: Versions,
  files: readonly T[],
): Promise<(T & Pick<DiffFile, 'notebook'>)[]> {
  const compared = new Set(files.filter(isNotebook).slice(0, MAX_NOTEBOOKS))
  return Promise.all(
    files.map(async (file) => {
      const isAdded = file.status === 'added'
      if (!compared.has(file) || (!isAdded && !from)) return file
      const found = await visit.tryCall(compareNotebooks, {
        repo,
        path: file.path,
        ...(isAdded || !from ? {} : { before: from, old_path: file.old_path ?? file.path }),
        ...(file.status === 'removed' ? {} : { after: sha }),
      })
      return found?.change ? { ...file, notebook: found.change } : file
    }),
  )
}
