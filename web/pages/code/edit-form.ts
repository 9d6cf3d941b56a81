// The form of the editor: one commit to the branch, to a new branch with a pull request, or to a
// fork.
import { trimSlashes } from '#lib/trim-slashes.ts'
import { createHash } from 'node:crypto'
import { getFile, getRepo, locateCode } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { codePath } from '../../paths.ts'
import type { DirectResponse, Fields, Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { commitChange, readDestination, type FileEdit } from './commit-change.ts'
import type { EditMode } from './edit-load.ts'
import { t } from '../../text.ts'

/** The id that git gives to a file with this content (gitformat-loose, "blob"). */
const blobId = (text: string): string => {
  const data = Buffer.from(text)
  return createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex')
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** The default commit message. */
export function defaultMessage(mode: EditMode, from: string, path: string): string {
  if (mode === 'new') return `Add ${nameOf(path)}`
  if (mode === 'delete') return `Delete ${nameOf(from)}`
  return path !== from ? `Rename ${from} to ${path}` : `Update ${nameOf(from)}`
}

/** The typed path and content. */
export const typedOf = (fields: Fields): { path: string; content: string } => ({
  path: trimSlashes(fields.text('path').trim()),
  content: fields.ticked('crlf')
    ? fields.text('content').replaceAll('\n', '\r\n')
    : fields.text('content'),
})

/** The change of one form. Throws 422 when nothing changed. */
function changesOf(mode: EditMode, fields: Fields): { path: string; files: FileEdit[] } {
  const from = fields.text('from')
  if (mode === 'delete') return { path: from, files: [{ path: from, action: 'delete' }] }
  const { path, content } = typedOf(fields)
  if (path === '') throw new Refusal('invalid', t('Give the file a name.'), { field: 'path' })
  if (mode === 'new') return { path, files: [{ path, action: 'put', content }] }
  const isSame = blobId(content) === fields.text('oid')
  if (isSame && path === from)
    throw new Refusal('invalid', t('There are no changes yet.'), { field: 'content' })
  const move: FileEdit[] = path === from ? [] : [{ path, from, action: 'move' }]
  return { path, files: isSame ? move : [...move, { path, action: 'put', content }] }
}

/**
 * Whether the branch still has the file that was opened, so that the change applies although the
 * branch has moved.
 */
async function isUntouched(
  visit: Visit,
  repo: string,
  mode: EditMode,
  fields: Fields,
): Promise<boolean> {
  const path = mode === 'new' ? fields.text('path') : fields.text('from')
  const at = await visit.tryCall(locateCode, { repo, rest: `${fields.text('branch')}/${path}` })
  return mode === 'new' ? at === null : at?.oid === fields.text('oid')
}

export const submitEdit =
  (mode: EditMode) =>
  async (visit: Visit, fields: Fields): Promise<DirectResponse> => {
    const repo = repoOf(visit)
    const branch = fields.text('branch')
    const { path, files } = changesOf(mode, fields)
    if (mode === 'new' && (await visit.tryCall(getFile, { repo, ref: branch, path })) !== null)
      throw new Refusal('invalid', t('{path} exists already.', { path }), { field: 'path' })
    const { permissions } = await visit.call(getRepo, { repo })
    const wanted = {
      repo,
      branch,
      files,
      ...readDestination(fields, permissions.write),
      expected_head: fields.text('expected_head'),
      title: fields.text('message').trim() || defaultMessage(mode, fields.text('from'), path),
      body: fields.text('description').trim(),
    }
    const after =
      mode === 'delete'
        ? codePath(repo, 'tree', branch, path.split('/').slice(0, -1).join('/'))
        : codePath(repo, 'blob', branch, path)
    return commitChange(visit, wanted, after, () => isUntouched(visit, repo, mode, fields))
  }
