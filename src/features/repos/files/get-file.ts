import { encodePath } from '#lib/percent-encoding.ts'
import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { parseLfsPointer } from '#lib/lfs-pointer.ts'
import { invalid } from '#lib/errors.ts'
import { decodeText, isBinary, MAX_RESPONSE_BYTES, sliceLines } from './file-content.ts'
import { fileLanguage } from './language.ts'
import {
  refuseBadInput,
  pathNotFound,
  resolveCommit,
  parseTreePath,
} from '../refs/resolve-commit.ts'
import { FileRecord, linesOfFile } from '../schema.ts'

/** Files up to this size are read whole, so that lines can be counted and paged through. */
const MAX_READ_BYTES = 16 * 1024 * 1024

type FileContent = Pick<
  FileRecord,
  'lines' | 'from_line' | 'to_line' | 'encoding' | 'content' | 'truncated' | 'binary'
>

/** The beginning of a binary file, in base64. */
function binaryContent(data: Uint8Array, size: number): FileContent {
  const part = data.subarray(0, MAX_RESPONSE_BYTES)
  return {
    lines: null,
    from_line: null,
    to_line: null,
    encoding: 'base64',
    content: Buffer.from(part).toString('base64'),
    truncated: part.length < size,
    binary: true,
  }
}

/**
 * The requested lines of a text file; in base64 when they are not UTF-8. Throws 422 when `from_line`
 * is beyond the end.
 */
function textContent(
  data: Uint8Array,
  size: number,
  path: string,
  from_line: number | undefined,
  to_line: number | undefined,
): FileContent {
  const slice = sliceLines(data, from_line ?? 1, to_line ?? null)
  if (from_line !== undefined && from_line > Math.max(slice.lines, 1))
    throw invalid('from_line', `${path} has ${slice.lines} lines`)
  const text = decodeText(slice.data, slice.isTruncated)
  return {
    lines: data.length < size ? null : slice.lines,
    from_line: slice.from_line,
    to_line: slice.to_line,
    encoding: text === null ? 'base64' : 'utf-8',
    content: text ?? Buffer.from(slice.data).toString('base64'),
    truncated: slice.isTruncated || data.length < size,
    binary: false,
  }
}

export const getFile = operation({
  name: 'get_file',
  summary:
    'Read a file of a repository that you can see, at a branch, tag or commit: text, or base64 when it is binary. At most 1 MiB or 5,000 lines at once; go on with from_line and to_line.',
  keywords: [
    'read a file',
    'contents of a file',
    'open a file',
    'cat',
    'show file',
    'README',
    'view source',
  ],
  route: 'GET /repos/{owner}/{name}/contents/{path}',
  toolset: 'code',
  aliases: ['get_file_contents'],
  listed: 'core',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object(linesOfFile),
  output: FileRecord,

  handler: async ({ hearth, git, repo }, { ref, from_line, to_line, ...input }) => {
    if (from_line !== undefined && to_line !== undefined && to_line < from_line)
      throw invalid('to_line', 'to_line must not be before from_line')
    const path = parseTreePath(input.path)
    const commit_sha = await resolveCommit(hearth, repo, ref ?? 'HEAD')
    const entry =
      path === ''
        ? null
        : await refuseBadInput('path', () => git.findEntry(repo.store, commit_sha, path))
    if (!entry && path !== '') throw pathNotFound(path)
    if (!entry || entry.type === 'dir')
      throw invalid('path', `${path || '/'} is a directory: use get_tree`)
    if (entry.type === 'submodule')
      throw invalid('path', `${path} is a submodule: its files are in another repository`)
    const blob = await git.readBlob(repo.store, entry.oid, MAX_READ_BYTES)
    if (!blob) throw pathNotFound(path)
    const { data, size } = blob
    const shown = ref ?? repo.default_branch
    const home = `${hearth.settings.site_url}/${repo.full_name}`
    const record = {
      path,
      ref: shown,
      commit_sha,
      sha: entry.oid,
      size,
      language: fileLanguage(path),
      lfs: parseLfsPointer(data),
      html_url: `${home}/blob/${encodePath(shown)}/${encodePath(path)}`,
      raw_url: `${home}/raw/${encodePath(shown)}/${encodePath(path)}`,
    }
    const content = isBinary(data)
      ? binaryContent(data, size)
      : textContent(data, size, path, from_line, to_line)
    return { ...record, ...content }
  },
})
