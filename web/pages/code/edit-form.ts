// What the editor's form does: one commit, on the branch or on a new one with a pull request.
import { createHash } from 'node:crypto'
import { createPull } from '#features/pulls/index.ts'
import { createCommit, getFile, locateCode } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { codePath, comparePath, pullPath } from '../../paths.ts'
import { flashTo, type Away, type Fields, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import type { EditMode } from './edit-load.ts'

const LONGEST_TITLE = 256

type Change = { path: string; action: 'put' | 'delete' | 'move'; content?: string; from?: string }

/** The id that git gives a file of this content (gitformat-loose, "blob"). */
const blobId = (text: string): string => {
  const data = Buffer.from(text)
  return createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex')
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** What the commit is called when nobody says. */
export function defaultMessage(mode: EditMode, from: string, path: string): string {
  if (mode === 'new') return `Add ${nameOf(path)}`
  if (mode === 'delete') return `Delete ${nameOf(from)}`
  return path !== from ? `Rename ${from} to ${path}` : `Update ${nameOf(from)}`
}

/** The changes of one form. Gives 422 when there are none. */
function changesOf(mode: EditMode, fields: Fields): { path: string; files: Change[] } {
  const from = fields.text('from')
  if (mode === 'delete') return { path: from, files: [{ path: from, action: 'delete' }] }
  const path = fields.text('path').trim().replace(/^\/+|\/+$/g, '')
  if (path === '') throw new Refusal('invalid', 'Give the file a name.', { field: 'path' })
  const content = fields.ticked('crlf') ? fields.text('content').replaceAll('\n', '\r\n') : fields.text('content')
  if (mode === 'new') return { path, files: [{ path, action: 'put', content }] }
  const isSame = blobId(content) === fields.text('oid')
  if (isSame && path === from) throw new Refusal('invalid', 'Nothing is changed yet.', { field: 'content' })
  const move: Change[] = path === from ? [] : [{ path, from, action: 'move' }]
  return { path, files: isSame ? move : [...move, { path, action: 'put', content }] }
}

/** Whether the file is still the one that was opened, so that the change fits on a branch that has moved elsewhere. */
async function isUntouched(visit: Visit, repo: string, mode: EditMode, fields: Fields): Promise<boolean> {
  const path = mode === 'new' ? fields.text('path') : fields.text('from')
  const at = await visit.tryCall(locateCode, { repo, rest: `${fields.text('branch')}/${path}` })
  return mode === 'new' ? at === null : at?.oid === fields.text('oid')
}

/** Nothing that was typed may be lost, so what is not found any more is a refusal of the form and not another page. */
async function kept<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) throw new Refusal('conflict', error.message, { field: error.field ?? undefined })
    throw error
  }
}

export const submitEdit = (mode: EditMode) => async (visit: Visit, fields: Fields): Promise<Away> => {
  const repo = repoOf(visit)
  const branch = fields.text('branch')
  const { path, files } = changesOf(mode, fields)
  if (mode === 'new' && (await visit.tryCall(getFile, { repo, ref: branch, path })) !== null) throw new Refusal('invalid', `${path} exists already.`, { field: 'path' })
  const title = fields.text('message').trim() || defaultMessage(mode, fields.text('from'), path)
  const body = fields.text('description').trim()
  const isNew = fields.text('target') === 'new'
  const new_branch = fields.text('new_branch').trim()
  if (isNew && new_branch === '') throw new Refusal('invalid', 'Give the new branch a name.', { field: 'new_branch' })
  const commit = (expected_head: string | undefined) =>
    kept(() => visit.call(createCommit, { repo, branch, message: body === '' ? title : `${title}\n\n${body}`, files, expected_head, ...(isNew ? { new_branch } : {}) }))
  try {
    await commit(fields.optional('expected_head'))
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== 'head_moved') throw error
    const actual = error.details['actual']
    if (typeof actual !== 'string' || !(await isUntouched(visit, repo, mode, fields))) throw new Refusal('conflict', 'The file has changed since you opened it.', { reason: 'head_moved' })
    await commit(actual)
  }
  if (!isNew) return flashTo(visit, mode === 'delete' ? codePath(repo, 'tree', branch, path.split('/').slice(0, -1).join('/')) : codePath(repo, 'blob', branch, path), 'committed')
  try {
    const { pull } = await visit.call(createPull, { repo, title: title.slice(0, LONGEST_TITLE), body: body || undefined, branch: new_branch, base: branch })
    return flashTo(visit, pullPath(repo, pull.number), 'committed')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The commit is safe on its branch; the comparison tells what can be done with it.
    return flashTo(visit, comparePath(repo, branch, new_branch), 'committed')
  }
}
