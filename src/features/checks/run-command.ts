/** Runs one command of a run: its output goes to the log, its outcome to the result. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { collectOutput, type Outcome, type Workplace } from '#runner'
import { redactText } from '#lib/redact.ts'
import { openLog, notifyRunChange } from './logs.ts'
import { limitsOf, runnerOf } from './runner.ts'
import type { ResultStatus } from './schema.ts'
import { findRun, setResultEnded, setResultStarted, type ResultRow, type RunRow } from './store.ts'

const minutes = (milliseconds: number): string =>
  `${milliseconds / 60_000} ${milliseconds === 60_000 ? 'minute' : 'minutes'}`
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

/** A line for the output when the command did not end by itself. */
function abortNote(
  { settings: { checks } }: Hearth,
  run: RunRow,
  { ended }: Outcome,
): string | null {
  switch (ended) {
    case 'exited':
      return null
    case 'timed_out':
      return `stopped after ${minutes(run.timeout_ms)}`
    case 'memory':
      return `stopped: out of memory (${mebibytes(checks.memory)} for all processes together)`
    case 'disk':
      return `stopped: out of disk space (${mebibytes(checks.disk)} for all files together)`
    case 'full_disk':
      return 'stopped: the disk of the server is nearly full'
    case 'cancelled':
      return 'cancelled'
    case 'not_started':
      return 'the command could not be started'
  }
}

const statusAfter = ({ ended, exit_code }: Outcome): ResultStatus =>
  ended === 'not_started' ? 'errored' : ended === 'exited' && exit_code === 0 ? 'passed' : 'failed'

/** Runs a command and stores its result, unless the run ended meanwhile. Returns the status. */
export async function runCommand(
  hearth: Hearth,
  run: RunRow,
  result: ResultRow,
  place: Workplace,
  signal: AbortSignal,
): Promise<ResultStatus | null> {
  const begun = await writeAs(hearth, null, (tx) => {
    if (findRun(tx.db, run.id)?.state !== 'running') return false
    setResultStarted(tx, result.id)
    return true
  })
  if (!begun) return null
  notifyRunChange(hearth, run.id)
  const limits = limitsOf(hearth, run.timeout_ms)
  const log = openLog(hearth, { repo_id: run.repo_id, run_id: run.id, id: result.id })
  try {
    const output = collectOutput({
      limit: limits.outputBytes,
      mask: (text) => redactText(text).text,
      emit: (text) => log.write(text),
    })
    const outcome = await runnerOf(hearth).run({
      directory: place,
      command: result.command,
      limits,
      signal,
      output: output.write,
      env: { CI: 'true', NO_COLOR: '1' },
    })
    output.end(outcome.left_out)
    const words = abortNote(hearth, run, outcome)
    if (words !== null)
      log.write(`${log.bytes() === 0 || log.tail().endsWith('\n') ? '' : '\n'}[${words}]\n`)
    // The run was ended elsewhere, which stored the result; or the process stops, and the next one
    // repeats the run.
    if (signal.aborted) return null
    const status = statusAfter(outcome)
    const end = {
      status,
      exit_code: outcome.exit_code,
      duration_ms: outcome.duration_ms,
      output_tail: log.tail(),
      log_bytes: log.bytes(),
    }
    const kept = await writeAs(hearth, null, (tx) => {
      if (findRun(tx.db, run.id)?.state !== 'running') return false
      setResultEnded(tx, result.id, end)
      return true
    })
    notifyRunChange(hearth, run.id)
    return kept ? status : null
  } finally {
    log.close()
  }
}
