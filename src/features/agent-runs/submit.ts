/** The tools that hand work over: `submit` commits to the fork, `finish` asks for review. */
import { call } from '#core/operation.ts'
import { createCommit } from '#features/repos/index.ts'
import { markPullReady, pullUrl } from '#features/pulls/index.ts'
import { privateAddress } from '#features/accounts/index.ts'
import { Refusal } from '#lib/errors.ts'
import { describeFailures, runChecks } from './commands.ts'
import { MAX_FILE_BYTES } from './files.ts'
import { addEntries } from './session-entries.ts'
import type { RunContext } from './run-context.ts'
import { countRefused, removeFiles } from './store.ts'
import { textOf, ToolError, type Tool, type ToolResult } from './tool.ts'

/** After this many refused finishes a person is asked. */
const MAX_REFUSED = 3

type Changed = {
  readonly path: string
  readonly content: Uint8Array | null
  readonly mode?: string
}

/** Files that differ from the commit. After a restart they may be committed already. */
async function changedFiles(context: RunContext): Promise<Changed[]> {
  const { hearth, fork, head, files, executable } = context
  const changed: Changed[] = []
  for (const [path, content] of files) {
    const entry = await hearth.git.findEntry(fork.store, head, path)
    const before = entry && (await hearth.git.readBlob(fork.store, entry.oid, MAX_FILE_BYTES + 1))
    const same =
      content === null
        ? entry === null
        : before !== null && Buffer.compare(before.data, content) === 0
    const mode = executable?.has(path) ? '100755' : entry?.mode
    if (!same) changed.push({ path, content, ...(mode === undefined ? {} : { mode }) })
  }
  return changed
}

/** The commit says which agent made it, and where its session is. */
function messageOf({ hearth, caller, pull, context }: RunContext, message: string): string {
  const address = privateAddress(hearth, caller.id, 'agent')
  return `${message.trim()}\n\nCo-authored-by: ${caller.username} <${address}>\nSession: ${pullUrl(hearth, context.full_name, pull.number)}/session\n`
}

export async function commitAll(context: RunContext, message: string): Promise<string | null> {
  const { hearth, caller, context: pullContext, pull, branch, head } = context
  const changed = await changedFiles(context)
  if (changed.length === 0) return null
  // Its own token cannot push anywhere; commits to its own fork are made here, under all rules.
  const scopes = [...(caller.token.scopes ?? []), 'code:write']
  const { sha } = await call(
    hearth,
    createCommit,
    { ...caller, token: { ...caller.token, scopes } },
    {
      repo: `${pullContext.full_name}/pull/${pull.number}`,
      branch,
      message: messageOf(context, message),
      expected_head: head,
      files: changed.map(({ path, content, mode }) =>
        content === null
          ? { path, action: 'delete' as const }
          : {
              path,
              action: 'put' as const,
              content: Buffer.from(content).toString('base64'),
              encoding: 'base64' as const,
              ...(mode === '100755' ? { mode: '100755' as const } : {}),
            },
      ),
    },
  )
  return sha
}

async function submitAll(context: RunContext, message: string): Promise<ToolResult> {
  const { run } = context
  const outcomes = await runChecks(context)
  const failures = describeFailures(outcomes)
  const sha = await commitAll(context, message)
  const checks =
    outcomes.length === 0
      ? 'The issue has no checks.'
      : failures === ''
        ? 'All checks of the issue pass.'
        : `These checks of the issue fail:\n${failures}`
  return {
    text: `${sha === null ? 'Nothing has changed since the last commit.' : `Committed ${sha.slice(0, 10)}.`} ${checks}`,
    ok: failures === '',
    apply: (tx) => removeFiles(tx, run.agent_id),
  }
}

export const submitTool: Tool = {
  name: 'submit',
  description: 'Run the checks of the issue, then commit all changes to the pull request.',
  parameters: {
    type: 'object',
    properties: { message: { type: 'string', description: 'Commit message.' } },
    required: ['message'],
  },
  isRepeatable: true,
  run: (context, input) => {
    const message = textOf(input, 'message')
    if (message.trim() === '') throw new ToolError('message must not be empty')
    return submitAll(context, message.slice(0, 5_000))
  },
}

export async function finishRun(context: RunContext, summary: string): Promise<ToolResult> {
  const { hearth, run, caller, pull, context: pullContext } = context
  if ((await changedFiles(context)).length > 0)
    throw new ToolError('there are changes that are not committed; submit them first')
  if (pull.head_sha === null) throw new ToolError('nothing is submitted yet')
  const failures = describeFailures(await runChecks(context))
  if (failures !== '') {
    const isLast = run.refused + 1 >= MAX_REFUSED
    return {
      text: `Not finished: checks of the issue fail. Mend them, or ask.\n${failures}`,
      ok: false,
      apply: (tx) => countRefused(tx, run.agent_id),
      ...(isLast
        ? {
            entries: [
              {
                kind: 'error',
                text: `The agent does not get these checks to pass:\n${failures}`,
                data: { code: 'checks_failed' },
              },
            ],
            next: { state: 'waiting', reason: 'its checks fail' } as const,
          }
        : {}),
    }
  }
  await call(hearth, markPullReady, caller, {
    repo: pullContext.full_name,
    number: pull.number,
    summary,
  })
  return {
    text: 'The pull request is ready for review.',
    next: { state: 'resting', reason: null },
    apply: (tx) =>
      void addEntries(tx, { pull_id: pull.id, author_id: caller.id }, [
        { kind: 'summary', text: summary },
      ]),
  }
}

export const finishTool: Tool = {
  name: 'finish',
  description: 'Mark the pull request as ready for review, once everything is submitted.',
  parameters: {
    type: 'object',
    properties: { summary: { type: 'string', description: 'What was done and why, Markdown.' } },
    required: ['summary'],
  },
  isRepeatable: true,
  run: async (context, input) => {
    const summary = textOf(input, 'summary').trim()
    if (summary === '') throw new ToolError('summary must not be empty')
    try {
      return await finishRun(context, summary.slice(0, 20_000))
    } catch (error) {
      if (error instanceof Refusal) throw new ToolError(error.message)
      throw error
    }
  },
}
