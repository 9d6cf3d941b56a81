/** One command of a run: its output goes to its log, and what came of it into words. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { collectOutput, type Outcome, type Workplace } from '#runner'
import { redactText } from '#lib/redact.ts'
import { openLog, tellRunChange } from './logs.ts'
import { limitsOf, runnerOf } from './runners.ts'
import type { ResultStatus } from './schema.ts'
import { findRun, setResultOver, setResultStarted, type ResultRow, type RunRow } from './store.ts'

const minutes = (milliseconds: number): string =>
  `${milliseconds / 60_000} ${milliseconds === 60_000 ? 'minute' : 'minutes'}`
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

/** What to add to the output when the command did not end by itself. */
function lastWords(
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
    case 'cancelled':
      return 'cancelled'
    case 'not_started':
      return 'the command could not be started'
  }
}

const statusAfter = ({ ended, exit_code }: Outcome): ResultStatus =>
  ended === 'not_started' ? 'errored' : ended === 'exited' && exit_code === 0 ? 'passed' : 'failed'

/** Runs it and notes its result, unless its run is over by then. Gives its status. */
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
  tellRunChange(hearth, run.id)
  const limits = limitsOf(hearth, run.timeout_ms)
  const log = openLog(hearth, { repo_id: run.repo_id, run_id: run.id, id: result.id })
  try {
    const output = collectOutput({
      limit: limits.output,
      mask: (text) => redactText(text).text,
      emit: (text) => log.write(text),
    })
    const outcome = await runnerOf(hearth).run({
      place,
      command: result.command,
      limits,
      signal,
      output: output.write,
      env: { CI: 'true', NO_COLOR: '1' },
    })
    output.end(outcome.left_out)
    const words = lastWords(hearth, run, outcome)
    if (words !== null)
      log.write(`${log.bytes() === 0 || log.tail().endsWith('\n') ? '' : '\n'}[${words}]\n`)
    // Whoever ended it has said what became of it, or will when the process comes back.
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
      setResultOver(tx, result.id, end)
      return true
    })
    tellRunChange(hearth, run.id)
    return kept ? status : null
  } finally {
    log.close()
  }
}
