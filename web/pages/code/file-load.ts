// Loads a file at a commit for its pages.
import {
  getFile,
  listCodeOwners,
  listTreeAbove,
  type FileRecord,
  type Repo,
} from '#features/repos/index.ts'
import { listFileLocks, openLfsObject } from '#features/lfs/index.ts'
import { Refusal } from '#lib/errors.ts'
import { encodePath } from '#lib/percent-encoding.ts'
import { codePath } from '../../paths.ts'
import { DirectResponse, redirect, type OutputOf, type Visit } from '../../site.ts'
import { entryLinkBytes } from './folder-parts.ts'
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
  /** Null for binary content. Of a long file it is the text around `line`. */
  readonly text: FileText | null
  /** The line that the address asks for. */
  readonly line: number
  readonly symlink: boolean
  /** What the pages tell of a file of Git LFS; null for other files. */
  readonly large: LargeFile | null
  readonly owners: readonly string[]
  /** The folders above the file. Empty for very deep ones. */
  readonly folders: Folders
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

/** The entries of each folder that the tree beside a file shows, as far as they all fit. */
const MAX_TREE_ENTRIES = 100
/** The HTML of a tree, and what an entry has beside its address and its name. */
const MAX_TREE_BYTES = 10_000
const TREE_ENTRY_BYTES = 50

type Folders = OutputOf<typeof listTreeAbove>['folders']

type Folder = Folders[number]

/** The size of a folder in a tree. `prefix` is the size of the address of the root. */
function folderBytes({ path, entries }: Folder, prefix: number): number {
  const shared = TREE_ENTRY_BYTES + prefix + encodePath(path).length
  return entries.reduce((sum, { name }) => sum + shared + entryLinkBytes(name), 0)
}

/** A folder with at most so many entries, and the one that leads down to a path. */
function cutFolder(folder: Folder, most: number, to: string): Folder {
  const prefix = folder.path === '' ? '' : `${folder.path}/`
  const entries = folder.entries.filter(
    ({ name }, at) => at < most || `${to}/`.startsWith(`${prefix}${name}/`),
  )
  return { ...folder, entries, more: folder.more + folder.entries.length - entries.length }
}

/** The folders down to a path, with as many entries each as fit beside a file. */
function fitFolders(folders: Folders, to: string, prefix: number): Folders {
  let fitting = folders
  for (let most = MAX_TREE_ENTRIES; most > 1; most = Math.trunc(most * 0.8)) {
    fitting = folders.map((folder) => cutFolder(folder, most, to))
    const bytes = fitting.reduce((sum, folder) => sum + folderBytes(folder, prefix), 0)
    if (bytes <= MAX_TREE_BYTES) break
  }
  return fitting
}

/** Loads the folders down to a path, for the tree beside it. */
export async function loadFolders(visit: Visit, repo: string, ref: string, path: string) {
  const found = await visit.tryCall(listTreeAbove, { repo, ref, path, most: MAX_TREE_ENTRIES })
  return fitFolders(found?.folders ?? [], path, codePath(repo, 'blob', ref).length)
}

/** A file is read in steps of so many lines, of which `get_file` returns at most as many. */
const STEP_LINES = 5_000

/**
 * The line or entry that an address asks for: `?from=` names a part of a file or folder by one of
 * them.
 */
export function startOf({ searchParams }: URL): number {
  const start = Number(searchParams.get('from') ?? '1')
  return Number.isSafeInteger(start) && start > 0 ? start : 1
}

/** Reads the step of a file that has a line; the first one when the file is shorter. */
async function readStep(
  visit: Visit,
  file: { repo: string; ref: string; path: string },
  line: number,
): Promise<FileRecord> {
  const first = line - ((line - 1) % STEP_LINES)
  const to_line = first + STEP_LINES - 1
  try {
    let step = await visit.call(
      getFile,
      first === 1 ? file : { ...file, from_line: first, to_line },
    )
    // Lines may be so long that one answer does not have all of a step.
    while (step.truncated && step.to_line !== null && step.to_line < Math.min(line, to_line))
      step = await visit.call(getFile, { ...file, from_line: step.to_line + 1, to_line })
    return step
  } catch (error) {
    if (!(error instanceof Refusal) || error.field !== 'from_line') throw error
    const { lines } = await visit.call(getFile, file)
    return readStep(visit, file, Math.max(1, lines ?? 1))
  }
}

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
  const line = startOf(visit.url)
  const sha = at.sha ?? at.ref
  const [refs, file, owned, folders] = await Promise.all([
    refsOf(visit, name),
    readStep(visit, { repo: name, ref: sha, path: at.path }, line),
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
    line,
    symlink: at.type === 'symlink',
    large: await loadLargeFile(visit, name, at.path, file),
    owners: owned?.owners ?? [],
    folders,
  }
}
