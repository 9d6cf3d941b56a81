/** Commands in the sandbox of acceptance checks, over the files of a run. */
import {
  checkOutCommit,
  isolationOf,
  limitsOf,
  runnerOf,
  Untestable,
  type FileContents,
} from '#features/checks/index.ts'
import { findIssue } from '#features/issues/index.ts'
import { MINUTE } from '#lib/time.ts'
import { redactText } from '#lib/redact.ts'
import { collectOutput, describeIsolation, endOf } from '#runner'
import { readKeptFiles } from './kept-files.ts'
import { acquireCommandPermit } from './run-permits.ts'
import type { RunContext } from './run-context.ts'
import { ToolError } from './tool.ts'

const MAX_COMMAND_MS = 20 * MINUTE
const MAX_OUTPUT_CHARS = 6_000
const MAX_CHECK_CHARS = 2_000

export type CommandOutcome = {
  readonly command: string
  readonly ok: boolean
  /** How it ended, and the end of its output. */
  readonly text: string
}

/** Runs commands in one folder, in order. Throws `ToolError` where commands cannot run. */
async function runAll(
  context: RunContext,
  commands: readonly string[],
  maxChars: number,
  keep: readonly string[] = [],
): Promise<{ outcomes: CommandOutcome[]; kept: FileContents }> {
  const { hearth, fork, head, files, run, signal } = context
  const isolation = await isolationOf(hearth)
  if (isolation.kind === 'missing')
    throw new ToolError(`commands cannot run here: ${describeIsolation(isolation)}`)
  const runner = runnerOf(hearth)
  const limits = limitsOf(hearth, MAX_COMMAND_MS)
  const releasePermit = await acquireCommandPermit(hearth, run.repo_id, signal)
  const place = await runner.createDirectory(`agent-${run.agent_id}`).catch((error: unknown) => {
    releasePermit()
    throw error
  })
  try {
    await checkOutCommit(hearth, fork.store, head, place.build, limits.diskBytes, files)
    await runner.handOver(place)
    const outcomes: CommandOutcome[] = []
    for (const command of commands) {
      signal.throwIfAborted()
      let text = ''
      const output = collectOutput({
        limit: limits.outputBytes,
        mask: (part) => redactText(part).text,
        emit: (part) => {
          text = endOf(text + part, maxChars)
        },
      })
      const outcome = await runner.run({
        directory: place,
        command,
        limits,
        signal,
        output: output.write,
        env: { CI: 'true', NO_COLOR: '1' },
      })
      output.end(outcome.left_out)
      signal.throwIfAborted()
      const ended =
        outcome.ended === 'exited'
          ? `exit status ${outcome.exit_code}`
          : `ended: ${outcome.ended.replaceAll('_', ' ')}`
      const ok = outcome.ended === 'exited' && outcome.exit_code === 0
      outcomes.push({ command, ok, text: `${ended}\n${text.trim()}` })
    }
    return { outcomes, kept: await readKeptFiles(place.build, keep) }
  } catch (error) {
    if (error instanceof Untestable) throw new ToolError(error.message)
    throw error
  } finally {
    releasePermit()
    await runner.removeDirectory(place)
  }
}

/** Runs one command. `kept` are the named files as the command leaves them. */
export async function runCommand(
  context: RunContext,
  command: string,
  keep: readonly string[],
): Promise<CommandOutcome & { readonly kept: FileContents }> {
  const { outcomes, kept } = await runAll(context, [command], MAX_OUTPUT_CHARS, keep)
  const [outcome] = outcomes
  if (!outcome) throw new ToolError('the command could not be started')
  return { ...outcome, kept }
}

/** The checks of the issue on the files of the run, those that are not committed included. */
export async function runChecks(context: RunContext): Promise<CommandOutcome[]> {
  const { hearth, run } = context
  const checks = findIssue(hearth.db, run.repo_id, run.issue)?.checks ?? []
  return checks.length === 0 ? [] : (await runAll(context, checks, MAX_CHECK_CHARS)).outcomes
}

export const describeFailures = (outcomes: readonly CommandOutcome[]): string =>
  outcomes
    .filter(({ ok }) => !ok)
    .map(({ command, text }) => `$ ${command}\n${text}`)
    .join('\n\n')
