/** What the model may read, each through an operation that decides for the person who asked. */
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call } from '#core/operation.ts'
import { searchContext } from '#features/context/index.ts'
import { getIssue } from '#features/issues/index.ts'
import { cutEnd, type ChatTool } from '#features/models/index.ts'
import { getFile } from '#features/repos/index.ts'
import { search } from '#features/search/index.ts'
import { Refusal } from '#lib/errors.ts'
import { isObject, type JsonObject } from '#lib/json-value.ts'

const MAX_FOUND = 10
const MAX_READ_LINES = 300
const MAX_RESULT_CHARS = 12_000
const MAX_WORDS_CHARS = 200

/** Where and for whom a question is answered. */
export type Asking = {
  readonly hearth: Hearth
  readonly caller: UserCaller
  readonly repo: string
  /** The commit that is read; null for a repository without commits. */
  readonly commit: string | null
  /** The pull request whose session may be cited. */
  readonly number?: number
}

const tool = (name: string, description: string, properties: Record<string, object>): ChatTool => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties, required: Object.keys(properties).slice(0, 1) },
  },
})

export const TOOLS: readonly ChatTool[] = [
  tool('search_code', 'Find lines of code by words.', { words: { type: 'string' } }),
  tool('search_records', 'Find issues, pull requests, documents and memories by words.', {
    words: { type: 'string' },
  }),
  tool('read_file', `Read at most ${MAX_READ_LINES} lines of a file, with their numbers.`, {
    path: { type: 'string' },
    from: { type: 'integer' },
  }),
  tool('read_issue', 'Read an issue with its comments.', { number: { type: 'integer' } }),
]

const wordsOf = (input: JsonObject): string => String(input.words ?? '').slice(0, MAX_WORDS_CHARS)

async function searchCode({ hearth, caller, repo }: Asking, input: JsonObject): Promise<string> {
  // Qualifiers of the words cannot widen it: the repository is named once, in front.
  const words = wordsOf(input).replace(/\b[a-z]+:/gi, ' ')
  const found = await call(hearth, search, caller, {
    query: `repo:${repo} ${words}`,
    type: 'code',
    per_page: MAX_FOUND,
  })
  return found.items
    .flatMap((item) =>
      'path' in item && item.repo === repo
        ? item.matches.map(
            ({ number, parts }) =>
              `${item.path}:${number}: ${parts.map(({ text }) => text).join('')}`,
          )
        : [],
    )
    .join('\n')
}

async function searchRecords({ hearth, caller, repo }: Asking, input: JsonObject): Promise<string> {
  const { items } = await call(hearth, searchContext, caller, {
    workspace: repo.split('/')[0] ?? '',
    repo,
    query: wordsOf(input),
    kinds: ['issue', 'pull', 'doc', 'memory'],
    limit: MAX_FOUND,
  })
  return items
    .map(({ kind, key, title, summary }) => `${kind} ${key}: ${title}\n${summary}`)
    .join('\n')
}

async function readFile(asking: Asking, input: JsonObject): Promise<string> {
  const { hearth, caller, repo, commit } = asking
  if (commit === null) return 'the repository has no files'
  const from_line = typeof input.from === 'number' ? Math.max(1, Math.floor(input.from)) : 1
  const file = await call(hearth, getFile, caller, {
    repo,
    path: String(input.path ?? ''),
    ref: commit,
    from_line,
    to_line: from_line + MAX_READ_LINES - 1,
  })
  if (file.encoding !== 'utf-8') return 'the file is binary'
  return (file.content ?? '')
    .split('\n')
    .map((line, at) => `${from_line + at}: ${line}`)
    .join('\n')
}

async function readIssue({ hearth, caller, repo }: Asking, input: JsonObject): Promise<string> {
  const number = Number(input.number)
  const { issue, comments } = await call(hearth, getIssue, caller, { repo, number })
  const said = comments.map(({ author, body }) => `${author?.username ?? 'ghost'}: ${body}`)
  return [`#${number} ${issue.title} (${issue.state})`, issue.body, ...said].join('\n\n')
}

const RUNNERS: Readonly<Record<string, (asking: Asking, input: JsonObject) => Promise<string>>> = {
  search_code: searchCode,
  search_records: searchRecords,
  read_file: readFile,
  read_issue: readIssue,
}

/** What the page shows of a call. */
export const stepOf = (name: string, input: JsonObject): string =>
  `${name} ${String(input.words ?? input.path ?? input.number ?? '')}`.slice(0, 200)

export function readInput(text: string): JsonObject {
  try {
    const input: unknown = JSON.parse(text)
    return isObject(input) ? input : {}
  } catch {
    return {}
  }
}

/** The result of a tool as text; a refusal says why. */
export async function runTool(asking: Asking, name: string, input: JsonObject): Promise<string> {
  const run = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined
  if (!run) return `there is no tool ${name.slice(0, 60)}`
  try {
    const text = await run(asking, input)
    return text === '' ? 'nothing was found' : cutEnd(text, MAX_RESULT_CHARS)
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
