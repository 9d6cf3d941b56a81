/**
 * Citations in an answer: `[[src/a.ts:12]]`, `[[src/a.ts:12-20]]`, `[[#12]]`, and in a summary
 * `[[entry:12]]` of the session. Each is read with the rights of the person who asked. Those that
 * cannot be read are struck.
 */
import { call } from '#core/operation.ts'
import { getIssue } from '#features/issues/index.ts'
import { getPull, getSession } from '#features/pulls/index.ts'
import { getFile } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { lineAddress } from '#lib/line-address.ts'
import type { Citation } from './schema.ts'
import type { Asking } from './tools.ts'

const MAX_CITATIONS = 40
const CITATION = /( ?)\[\[([^[\]\n]{1,300})\]\]/g

/** Null for what does not exist and for what the person may not see. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

async function recordOf(asking: Asking, number: number): Promise<Citation | null> {
  const { hearth, caller, repo } = asking
  const label = `#${number}`
  const issue = await orNull(call(hearth, getIssue, caller, { repo, number }))
  if (issue) return { label, url: issue.issue.html_url }
  const pull = await orNull(call(hearth, getPull, caller, { repo, number }))
  return pull && { label, url: pull.pull.html_url }
}

async function linesOf(asking: Asking, label: string): Promise<Citation | null> {
  const { hearth, caller, repo, commit } = asking
  const [, path = label, first, last = first] = /^(.+?):(\d{1,7})(?:-(\d{1,7}))?$/.exec(label) ?? []
  if (commit === null) return null
  const from = first === undefined ? 1 : Number(first)
  const to = last === undefined ? from : Number(last)
  if (from < 1 || to < from) return null
  const file = await orNull(
    call(hearth, getFile, caller, { repo, path, ref: commit, from_line: from, to_line: from }),
  )
  // A binary file has no lines.
  if (file === null || (first !== undefined && (file.lines === null || to > file.lines)))
    return null
  const anchor = first === undefined ? '' : lineAddress(from, to)
  return { label, url: `${file.html_url}${anchor}` }
}

/** The session is that of the pull request which is summarized. */
async function entryOf(
  { hearth, caller, repo, number }: Asking & { readonly number: number },
  seq: number,
): Promise<Citation | null> {
  const after = seq - 1
  const found = await orNull(call(hearth, getSession, caller, { repo, number, after, per_page: 1 }))
  if (found?.items[0]?.seq !== seq) return null
  const pull = await orNull(call(hearth, getPull, caller, { repo, number }))
  const url = `${pull?.pull.html_url}/session?after=${after}#entry-${seq}`
  return pull && { label: `entry:${seq}`, url }
}

/** Null for what does not exist and for what the person may not see. */
function citationOf(asking: Asking, label: string): Promise<Citation | null> {
  const number = /^#(\d{1,9})$/.exec(label)?.[1]
  if (number !== undefined) return recordOf(asking, Number(number))
  const seq = /^entry:([1-9]\d{0,8})$/.exec(label)?.[1]
  if (seq !== undefined && asking.number !== undefined)
    return entryOf({ ...asking, number: asking.number }, Number(seq))
  return linesOf(asking, label)
}

export type CheckedAnswer = {
  readonly answer: string
  readonly citations: readonly Citation[]
  readonly dropped: number
}

/** The answer with links for citations that exist, and without the others. */
export async function checkCitations(asking: Asking, text: string): Promise<CheckedAnswer> {
  const found = new Map<string, Citation | null>()
  for (const [, , label = ''] of text.matchAll(CITATION)) {
    if (found.has(label)) continue
    found.set(label, found.size >= MAX_CITATIONS ? null : await citationOf(asking, label))
  }
  const citations = [...found.values()].filter((one) => one !== null)
  const answer = text.replace(CITATION, (_, space: string, label: string) => {
    const citation = found.get(label)
    return citation ? `${space}[${escapeLabel(label)}](<${citation.url}>)` : ''
  })
  return { answer: answer.trim(), citations, dropped: found.size - citations.length }
}

const escapeLabel = (label: string): string => label.replace(/[\\`*_<>]/g, '\\$&')
