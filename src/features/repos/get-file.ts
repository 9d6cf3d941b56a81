import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { decodeText, isBinary, lfsPointer, MOST_BYTES, sliceLines } from './file-content.ts'
import { fileLanguage } from './language.ts'
import { blameInput, noSuchPath, resolveCommit, treePath } from './resolve.ts'
import { FileRecord, linesOfFile } from './schema.ts'

/** Lines can be counted, and paged through, up to this size. */
const MOST_READ = 16 * 1024 * 1024

const encode = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

export const getFile = operation({
  name: 'get_file',
  summary:
    'Read a file of a repository that you can see, at a branch, tag or commit: text, or base64 when it is binary. At most 1 MiB or 5,000 lines at once; go on with from_line and to_line.',
  route: 'GET /repos/{owner}/{name}/contents/{path}',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object(linesOfFile),
  output: FileRecord,

  handler: async ({ hearth, git, repo }, { ref, from_line, to_line, ...input }) => {
    if (from_line !== undefined && to_line !== undefined && to_line < from_line)
      throw invalid('to_line', 'to_line must not be before from_line')
    const path = treePath(input.path)
    const commit_sha = await resolveCommit(hearth, repo, ref ?? 'HEAD')
    const entry =
      path === '' ? null : await blameInput('path', () => git.entry(repo.store, commit_sha, path))
    if (!entry && path !== '') throw noSuchPath(path)
    if (!entry || entry.type === 'dir')
      throw invalid('path', `${path || '/'} is a directory: use get_tree`)
    if (entry.type === 'submodule')
      throw invalid('path', `${path} is a submodule: its files are in another repository`)
    const blob = await git.blob(repo.store, entry.oid, MOST_READ)
    if (!blob) throw noSuchPath(path)
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
      lfs: lfsPointer(data),
      html_url: `${home}/blob/${encode(shown)}/${encode(path)}`,
      raw_url: `${home}/raw/${encode(shown)}/${encode(path)}`,
    }
    const binary = isBinary(data)
    if (!binary) {
      const slice = sliceLines(data, from_line ?? 1, to_line ?? null)
      if (from_line !== undefined && from_line > Math.max(slice.lines, 1))
        throw invalid('from_line', `${path} has ${slice.lines} lines`)
      const text = decodeText(slice.data, slice.cut)
      const { lines, cut, ...range } = slice
      if (text !== null) {
        const { data: _, ...lineRange } = range
        return {
          ...record,
          ...lineRange,
          lines: data.length < size ? null : lines,
          encoding: 'utf-8' as const,
          content: text,
          truncated: cut || data.length < size,
          binary,
        }
      }
      return {
        ...record,
        from_line: slice.from_line,
        to_line: slice.to_line,
        lines: data.length < size ? null : lines,
        encoding: 'base64' as const,
        content: Buffer.from(slice.data).toString('base64'),
        truncated: cut || data.length < size,
        binary,
      }
    }
    const part = data.subarray(0, MOST_BYTES)
    return {
      ...record,
      lines: null,
      from_line: null,
      to_line: null,
      encoding: 'base64' as const,
      content: Buffer.from(part).toString('base64'),
      truncated: part.length < size,
      binary,
    }
  },
})
