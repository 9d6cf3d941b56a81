/** Creates a commit from single file changes, without a work tree. */
import { MODE, serializeCommit } from '../object.ts'
import {
  GitError,
  type FileChange,
  type ObjectDatabase,
  type Oid,
  type Signature,
} from '../ports.ts'
import { commitSource } from '../history/commit-source.ts'
import { baseKey, type PathKey } from '../history/names.ts'
import { checkPath, standsFor } from './path-check.ts'
import type { Entry } from '../history/tree.ts'
import { TreeEditor } from './tree-editor.ts'

export type CommitFilesOptions = {
  parent: Oid | null
  changes: readonly FileChange[]
  message: string
  author: Signature
  committer: Signature
}

const MODES = { '100644': MODE.file, '100755': MODE.executable, '120000': MODE.symlink } as const

/**
 * Creates one commit on `parent` (null creates a root commit) with these changes in order; all or
 * nothing. A replaced file keeps its mode unless one is given. Folders are created and removed with
 * their files. Throws GitError `missing` for the parent. Throws `invalid`, with the path, for an
 * invalid path, for a missing file to delete or move, for an existing target of a move, and where a
 * file and a folder would have the same name.
 */
export function commitFiles(
  db: ObjectDatabase,
  options: CommitFilesOptions,
): { commit: Oid; tree: Oid } {
  const { parent, author, committer, message } = options
  const editor = new TreeEditor(db, parent === null ? null : commitSource(db).get(parent).tree)
  for (const change of options.changes) apply(db, editor, change)
  const tree = editor.write()
  const commit = serializeCommit({
    tree,
    parents: parent === null ? [] : [parent],
    author,
    committer,
    message,
  })
  return { commit: db.write('commit', commit), tree }
}

const show = (path: string): string => JSON.stringify(path)

function apply(db: ObjectDatabase, editor: TreeEditor, change: FileChange): void {
  const path = checkPath(change.path)
  switch (change.action) {
    case 'put':
      put(db, editor, path, change)
      return
    case 'delete':
      requireFile(editor, path, change.path, 'deleted')
      editor.remove(path)
      return
    case 'move': {
      const from = checkPath(change.from)
      const moved = requireFile(editor, from, change.from, 'moved')
      if (path === from) return
      editor.remove(from)
      if (editor.file(path))
        throw new GitError('invalid', `path ${show(change.path)} is already there`)
      editor.put(path, change.path, moved)
    }
  }
}

function requireFile(editor: TreeEditor, path: PathKey, shown: string, verb: string): Entry {
  const entry = editor.file(path)
  if (entry) return entry
  const why = editor.isFolderAt(path) ? 'it is a folder' : 'there is no such file'
  throw new GitError('invalid', `path ${show(shown)} is to be ${verb}, but ${why}`)
}

function put(
  db: ObjectDatabase,
  editor: TreeEditor,
  path: PathKey,
  change: Extract<FileChange, { action: 'put' }>,
): void {
  const mode = change.mode ?? null
  const before = editor.file(path)
  const kept =
    before && (before.mode === MODE.executable || before.mode === MODE.symlink)
      ? before.mode
      : MODE.file
  if (mode === '120000') checkLink(path, change)
  editor.put(path, change.path, {
    mode: mode === null ? kept : MODES[mode],
    oid: db.write('blob', change.data),
  })
}

function checkLink(
  path: PathKey,
  change: { readonly path: string; readonly data: Uint8Array },
): void {
  // Git refuses links in place of the files that it reads itself.
  if (standsFor(baseKey(path)) !== null)
    throw new GitError('invalid', `path ${show(change.path)} cannot be a link`)
  if (change.data.length === 0 || change.data.includes(0))
    throw new GitError('invalid', `the link ${show(change.path)} has no usable target`)
}
