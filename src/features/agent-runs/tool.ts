/** What a tool of the built-in agent is. */
import type { Tx } from '#core/write.ts'
import type { RunContext } from './run-context.ts'
import type { SessionEntry } from './session-entries.ts'
import type { RunState } from './schema.ts'

/** The model is told; the run goes on. */
export class ToolError extends Error {}

export type ToolResult = {
  readonly text: string
  readonly ok?: boolean
  /** What changes with the result, in its transaction. */
  readonly apply?: (tx: Tx) => void
  readonly entries?: readonly SessionEntry[]
  /** The state afterwards, when the run does not go on. */
  readonly next?: { readonly state: RunState; readonly reason: string | null }
  /** The tool has no result yet; somebody gives it one. */
  readonly isOpen?: boolean
}

export type Tool = {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Whether it can be done again when the process ended while it ran. */
  readonly isRepeatable: boolean
  readonly run: (
    context: RunContext,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<ToolResult> | ToolResult
}

export const textOf = (input: Readonly<Record<string, unknown>>, name: string): string => {
  const value = input[name]
  if (typeof value !== 'string') throw new ToolError(`${name} must be a text`)
  return value
}
