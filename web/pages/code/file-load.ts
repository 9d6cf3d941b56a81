// Loads a file at a commit for its pages.
import {
  getFile,
  listCodeOwners,
  listTreeAbove,
  type FileRecord,
  type Repo,
} from '#features/repos/index.ts'
import { listFileLocks, openLfsObject } from '#features/lfs/index.ts'
import { codePath } from '../../paths.ts'
import { DirectResponse, redirect, type OutputOf, type Visit } from '../../site.ts'
import { locate, refsOf, type Refs } from './frame.tsx'
import { textOfFile, type FileText } from './text.ts'

export type FileData = {
  readonly repo: Repo
  readonly refs: Refs
  readonly ref: string
  /** Whether the address names a branch. Files can only be changed on one. */
  readonly onBranch: boolean
  readonly path: string
  readonly file: FileRecord
  /** Null for binary content. */
  readonly text: FileText | null
  readonly symlink: boolean
  /** What the pages tell of a file of Git LFS; null for other files. */
  readonly large: LargeFile | null
  readonly owners: readonly string[]
  /** The folders above the file. Empty for very deep ones. */
  readonly folders: OutputOf<typeof listTreeAbove>['folders']
}

export type LargeFile = {
  /** Whether this repository has its bytes. */
  readonly isStored: boolean
  readonly lockedBy: string | null
}

async function loadLargeFile(
  visit: Visit,
  repo: string,
  path: string,
  { lfs }: FileRecord,
): Promise<LargeFile | null> {
  if (lfs === null) return null
  const [stored, locks] = await Promise.all([
    visit.tryCall(openLfsObject, { repo, oid: lfs.oid }),
    visit.tryCall(listFileLocks, { repo, path }),
  ])
  return { isStored: stored !== null, lockedBy: locks?.items[0]?.locked_by.username ?? null }
}

/** The entries of each folder that the tree beside a file shows. */
const MAX_TREE_ENTRIES = 100

/** Loads the folders down to a path, for the tree beside it. */
export const loadFolders = async (visit: Visit, repo: string, ref: string, path: string) =>
  (await visit.tryCall(listTreeAbove, { repo, ref, path, most: MAX_TREE_ENTRIES }))?.folders ?? []

export async function loadFile(
  visit: Visit,
  view: 'blob' | 'blame',
): Promise<FileData | DirectResponse> {
  const located = await locate(visit, view)
  if (located instanceof DirectResponse) return located
  const { name, repo, at } = located
  if (at.type === 'dir') return redirect(codePath(repo.full_name, 'tree', at.ref, at.path), 302)
  // A submodule: only its place can be shown.
  if (at.type === 'submodule')
    return redirect(
      codePath(repo.full_name, 'tree', at.ref, at.path.split('/').slice(0, -1).join('/')),
      302,
    )
  const from = Math.max(1, Number(visit.url.searchParams.get('from') ?? '1') || 1)
  const sha = at.sha ?? at.ref
  const [refs, file, owned, folders] = await Promise.all([
    refsOf(visit, name),
    visit.call(getFile, {
      repo: name,
      ref: sha,
      path: at.path,
      ...(from > 1 ? { from_line: from } : {}),
    }),
    visit.tryCall(listCodeOwners, { repo: name, path: at.path }),
    loadFolders(visit, name, sha, at.path.split('/').slice(0, -1).join('/')),
  ])
  return {
    repo,
    refs,
    ref: at.ref,
    onBranch: at.kind === 'branch',
    path: at.path,
    file,
    text: textOfFile(file),
    symlink: at.type === 'symlink',
    large: await loadLargeFile(visit, name, at.path, file),
    owners: owned?.owners ?? [],
    folders,
  }
}
