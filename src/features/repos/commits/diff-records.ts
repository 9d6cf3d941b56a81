/** Diffs as records, within the size limits of one response. */
import type { Diff, FileDiff, Oid } from '#git'
import type { Context } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { fileDiffRecord } from './commit-records.ts'
import type { FileChange } from '../schema.ts'

/** Limits for one response. */
const MAX_FILES = 300
const MAX_LINES = 20_000
const MAX_BYTES = 1024 * 1024

/** Limits for one file, when the response lists several. */
const MAX_FILE_LINES = 3_000
const MAX_FILE_BYTES = 512 * 1024
/** Limits for one file that is requested by its path. */
const MAX_SINGLE_FILE_LINES = 200_000
const MAX_SINGLE_FILE_BYTES = 16 * 1024 * 1024

export type DiffPage = {
  readonly files: FileChange[]
  readonly totals: Diff['totals']
  readonly truncated: boolean
}

/** Inputs shared by all operations that return a diff. */
export const diffInputs = {
  context: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Unchanged lines around a change, 3 unless given.',
    }),
  ),
  ignore_whitespace: Type.Optional(
    Type.Boolean({ description: 'Leave out lines that differ in white space only.' }),
  ),
}

const measureHunks = ({ hunks }: FileDiff): { lines: number; bytes: number } => {
  const lines = (hunks ?? []).flatMap((hunk) => hunk.lines)
  return { lines: lines.length, bytes: lines.reduce((sum, { text }) => sum + text.length + 1, 0) }
}

/**
 * Returns one page of the files that differ between two commits (null: the empty tree). When the
 * response reaches its limits, further files keep their counts but have no text, with the reason
 * `page_limit`. With `path` the limits for a single file apply.
 */
export async function diffCommits(
  { git }: Pick<Context, 'git'>,
  store: string,
  from: Oid | null,
  to: Oid,
  options: {
    path?: string
    skip?: number
    limit?: number
    text?: boolean
    ignoreWhitespace?: boolean
    context?: number
  } = {},
): Promise<DiffPage> {
  const skip = options.skip ?? 0
  const limit = Math.min(options.limit ?? MAX_FILES, MAX_FILES)
  const text = options.text ?? true
  const { files, totals } = await git.diff(store, from, to, {
    hunks: text,
    skip,
    limit,
    ignoreWhitespace: options.ignoreWhitespace,
    context: options.context,
    ...(options.path === undefined
      ? { maxLines: MAX_FILE_LINES, maxBytes: MAX_FILE_BYTES }
      : {
          paths: [options.path],
          maxLines: MAX_SINGLE_FILE_LINES,
          maxBytes: MAX_SINGLE_FILE_BYTES,
        }),
  })
  let lines = 0
  let bytes = 0
  // The totals need all files; the response holds those of its page.
  const records = files.slice(skip, skip + limit).map((file) => {
    const size = measureHunks(file)
    const alone = options.path !== undefined && lines === 0
    const fits = alone || (lines + size.lines <= MAX_LINES && bytes + size.bytes <= MAX_BYTES)
    if (fits) {
      lines += size.lines
      bytes += size.bytes
    }
    return fileDiffRecord(fits ? file : { ...file, hunks: null, reason: 'page_limit' })
  })
  return {
    files: records,
    totals,
    truncated: skip + records.length < totals.files || records.some((file) => file.truncated),
  }
}
