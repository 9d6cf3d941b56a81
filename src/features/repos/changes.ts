/** Diffs as records, within the limits of one answer. */
import type { Diff, FileDiff, Oid } from '#git'
import type { Context } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { fileDiffRecord } from './commit-records.ts'
import type { FileChange } from './schema.ts'

/** In one answer. */
const MOST_FILES = 300
const MOST_LINES = 20_000
const MOST_BYTES = 1024 * 1024

/** Of one file, unless it is asked for by its path. */
const FILE_LINES = 3_000
const FILE_BYTES = 512 * 1024
/** Of one that is. */
const ALONE_LINES = 200_000
const ALONE_BYTES = 16 * 1024 * 1024

export type Changes = {
  readonly files: FileChange[]
  readonly totals: Diff['totals']
  readonly truncated: boolean
}

/** How a comparison is wanted. */
export const changeInputs = {
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

const textOf = ({ hunks }: FileDiff): { lines: number; bytes: number } => {
  const lines = (hunks ?? []).flatMap((hunk) => hunk.lines)
  return { lines: lines.length, bytes: lines.reduce((sum, { text }) => sum + text.length + 1, 0) }
}

/**
 * What changed between two commits (null: the empty tree), one page of files. Past the limits of an
 * answer files keep their counts and lose their text, with the reason `page_limit`; with `path`
 * there is no limit for one file.
 */
export async function changesBetween(
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
): Promise<Changes> {
  const skip = options.skip ?? 0
  const limit = Math.min(options.limit ?? MOST_FILES, MOST_FILES)
  const text = options.text ?? true
  const { files, totals } = await git.diff(store, from, to, {
    hunks: text,
    skip,
    limit,
    ignoreWhitespace: options.ignoreWhitespace,
    context: options.context,
    ...(options.path === undefined
      ? { maxLines: FILE_LINES, maxBytes: FILE_BYTES }
      : { paths: [options.path], maxLines: ALONE_LINES, maxBytes: ALONE_BYTES }),
  })
  let lines = 0
  let bytes = 0
  // All files are compared for the totals; an answer has those of its page.
  const records = files.slice(skip, skip + limit).map((file) => {
    const size = textOf(file)
    const alone = options.path !== undefined && lines === 0
    const fits = alone || (lines + size.lines <= MOST_LINES && bytes + size.bytes <= MOST_BYTES)
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
