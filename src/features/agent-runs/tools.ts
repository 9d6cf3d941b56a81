/** The tools of the built-in agent. */
import { call, type Operation } from '#core/operation.ts'
import { actorOf } from '#features/accounts/index.ts'
import { findAgent } from '#features/agents/index.ts'
import { cutMiddle, type ChatTool } from '#features/models/index.ts'
import { Refusal } from '#lib/errors.ts'
import { runCommand } from './commands.ts'
import { contentOf, listPaths, MAX_CHANGED_FILES, readPath, readText, searchText } from './files.ts'
import { MAX_KEPT_FILES } from './kept-files.ts'
import { putFile } from './store.ts'
import { finishTool, submitTool } from './submit.ts'
import { textOf, ToolError, type Tool } from './tool.ts'

const MAX_READ_LINES = 400
const MAX_READ_CHARS = 8_000
const MAX_LISTED_PATHS = 200
const MAX_ANSWER_CHARS = 8_000

const text = (description: string) => ({ type: 'string', description })
const PATH = text('Path from the root of the repository.')

const read: Tool = {
  name: 'read',
  description: 'Read a text file, or list a folder.',
  parameters: {
    type: 'object',
    properties: {
      path: PATH,
      from: { type: 'integer', description: 'First line, 1 unless given.' },
      lines: { type: 'integer', description: `At most ${MAX_READ_LINES}.` },
    },
    required: ['path'],
  },
  isRepeatable: true,
  run: async (context, input) => {
    const path = readPath(input.path)
    const content = path === '' ? null : await readText(context, path).catch(folderAsNull)
    if (content === null) {
      const paths = await listPaths(context, path)
      if (paths.length === 0) throw new ToolError(`there is no file ${path}`)
      const rest = paths.length - MAX_LISTED_PATHS
      return {
        text:
          paths.slice(0, MAX_LISTED_PATHS).join('\n') +
          (rest > 0 ? `\nand ${rest} more files` : ''),
      }
    }
    const all = content.split('\n')
    const from = typeof input.from === 'number' && input.from > 0 ? Math.floor(input.from) : 1
    const count = typeof input.lines === 'number' && input.lines > 0 ? Math.floor(input.lines) : 400
    const shown = all.slice(from - 1, from - 1 + Math.min(count, MAX_READ_LINES))
    const more = all.length > from - 1 + shown.length ? `\n[${all.length} lines in all]` : ''
    return { text: cutMiddle(shown.join('\n'), MAX_READ_CHARS) + more }
  },
}

/** `readText` throws for a folder, which `read` lists. */
const folderAsNull = (error: unknown): null => {
  if (error instanceof ToolError && error.message.includes(' is a dir')) return null
  throw error
}

const search: Tool = {
  name: 'search',
  description: 'Find lines that contain a text, ignoring case.',
  parameters: {
    type: 'object',
    properties: { text: text('What to find.'), path: text('A folder or file; all unless given.') },
    required: ['text'],
  },
  isRepeatable: true,
  run: async (context, input) => {
    const wanted = textOf(input, 'text')
    if (wanted === '') throw new ToolError('text must not be empty')
    const found = await searchText(context, wanted, readPath(input.path ?? ''))
    return { text: found.length === 0 ? 'Nothing found.' : found.join('\n') }
  },
}

const edit: Tool = {
  name: 'edit',
  description: 'Replace a text that occurs exactly once in a file.',
  parameters: {
    type: 'object',
    properties: { path: PATH, old: text('The present text.'), new: text('The new text.') },
    required: ['path', 'old', 'new'],
  },
  isRepeatable: true,
  run: async (context, input) => {
    const path = readPath(input.path)
    const before = await readText(context, path)
    if (before === null) throw new ToolError(`there is no file ${path}; use write to create it`)
    const wanted = textOf(input, 'old')
    const replacement = textOf(input, 'new')
    if (wanted === '') throw new ToolError('old must not be empty')
    const count = before.split(wanted).length - 1
    if (count === 0 && replacement !== '' && before.includes(replacement))
      return { text: 'It is already so.' }
    if (count !== 1)
      throw new ToolError(
        count === 0
          ? `old does not occur in ${path}; read the file again`
          : `old occurs ${count} times in ${path}; give more of the text around it`,
      )
    const content = contentOf(
      context,
      path,
      before.replace(wanted, () => replacement),
    )
    return {
      text: 'Edited.',
      apply: (tx) => putFile(tx, context.run.agent_id, path, content),
      entries: [{ kind: 'edit', text: '', data: { paths: [path] } }],
    }
  },
}

const write: Tool = {
  name: 'write',
  description: 'Write a whole text file, or delete one (content null).',
  parameters: {
    type: 'object',
    properties: { path: PATH, content: { type: ['string', 'null'] } },
    required: ['path', 'content'],
  },
  isRepeatable: true,
  run: async (context, input) => {
    const path = readPath(input.path)
    if (path === '') throw new ToolError('path must not be empty')
    if (input.content === null && (await readText(context, path)) === null)
      return { text: 'There is no such file.' }
    const content =
      input.content === null ? null : contentOf(context, path, textOf(input, 'content'))
    return {
      text: content === null ? 'Deleted.' : 'Written.',
      apply: (tx) => putFile(tx, context.run.agent_id, path, content),
      entries: [{ kind: 'edit', text: '', data: { paths: [path] } }],
    }
  },
}

const run: Tool = {
  name: 'run',
  description:
    'Run a shell command on the files, without a network. What it writes is lost but for keep.',
  parameters: {
    type: 'object',
    properties: {
      command: text('A shell command.'),
      keep: {
        type: 'array',
        items: { type: 'string' },
        description: `Files that it writes or deletes and that stay so, at most ${MAX_KEPT_FILES}.`,
      },
    },
    required: ['command'],
  },
  isRepeatable: false,
  run: async (context, input) => {
    const keep = pathsToKeep(input.keep)
    const { ok, text: output, kept } = await runCommand(context, textOf(input, 'command'), keep)
    const paths = [...kept.keys()]
    if (new Set([...context.files.keys(), ...paths]).size > MAX_CHANGED_FILES)
      throw new ToolError(`${MAX_CHANGED_FILES} files are changed already; submit them first`)
    return {
      text: output,
      ok,
      apply: (tx) => {
        for (const [path, content] of kept) putFile(tx, context.run.agent_id, path, content)
      },
      entries: paths.length === 0 ? [] : [{ kind: 'edit', text: '', data: { paths } }],
    }
  },
}

function pathsToKeep(given: unknown): string[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given) || given.length > MAX_KEPT_FILES)
    throw new ToolError(`keep is a list of at most ${MAX_KEPT_FILES} paths`)
  const paths = given.map(readPath)
  if (paths.includes('')) throw new ToolError('keep takes files, not the whole folder')
  return [...new Set(paths)]
}

const ask: Tool = {
  name: 'ask',
  description: 'Ask the person who gave you the issue, and wait for the answer.',
  parameters: {
    type: 'object',
    properties: { question: text('One question.') },
    required: ['question'],
  },
  isRepeatable: true,
  run: (context, input) => {
    const { hearth, run: row } = context
    const question = textOf(input, 'question').trim()
    if (question === '') throw new ToolError('question must not be empty')
    const owner = findAgent(hearth.db, row.agent_id)?.owner_id
    const to = owner === undefined ? null : actorOf(hearth, owner).username
    return {
      text: '',
      isOpen: true,
      entries: [{ kind: 'question', text: question, data: { to } }],
      next: { state: 'waiting', reason: 'it asked a question' },
    }
  },
}

/** Unless it says otherwise, a call is about the repository, or the workspace, that it works in. */
function targetOf(
  { input, access }: Operation,
  full_name: string,
  given: object,
): Record<string, string> {
  const [workspace = ''] = full_name.split('/')
  if (access.target === 'workspace' || access.target === 'package') return { workspace }
  const isNamed = access.target === 'either' && 'workspace' in given
  return 'repo' in input.properties && !isNamed ? { repo: full_name } : {}
}

const forge: Tool = {
  name: 'forge',
  description:
    'Call an operation of the forge, such as get_issue, list_comments, get_pull, get_check_log, search, search_context, add_comment, recall or remember.',
  parameters: {
    type: 'object',
    properties: { name: text('Name of the operation.'), arguments: { type: 'object' } },
    required: ['name', 'arguments'],
  },
  isRepeatable: false,
  run: async ({ hearth, caller, context: { full_name }, signal }, input) => {
    const operation = hearth.operationsByName.get(textOf(input, 'name'))
    if (!operation?.tool)
      throw new ToolError(`there is no operation ${String(input.name).slice(0, 60)}`)
    const given = typeof input.arguments === 'object' && input.arguments ? input.arguments : {}
    let untrusted: readonly string[] = []
    try {
      const answer: unknown = await call(
        hearth,
        operation,
        caller,
        { ...targetOf(operation, full_name, given), ...given },
        { strict: true, signal, untrusted: (pointers) => (untrusted = pointers) },
      )
      const marks = untrusted.length === 0 ? '' : `\n_untrusted: ${untrusted.join(' ')}`
      return { text: cutMiddle(JSON.stringify(answer), MAX_ANSWER_CHARS) + marks.slice(0, 1_000) }
    } catch (error) {
      if (error instanceof Refusal) throw new ToolError(error.message)
      throw error
    }
  },
}

export const TOOLS: readonly Tool[] = [
  read,
  search,
  edit,
  write,
  run,
  submitTool,
  finishTool,
  ask,
  forge,
]

export const CHAT_TOOLS: readonly ChatTool[] = TOOLS.map(({ name, description, parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
}))
