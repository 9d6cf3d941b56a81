/** Checks that end as somebody says, without running anything. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { endRun } from '#features/checks/end-run.ts'
import {
  findRun,
  hasEnded,
  listResults,
  setResultEnded,
  setResultStarted,
  setStarted,
} from '#features/checks/store.ts'

export type Question = { hearth: Hearth; commit: string; number: number; commands: string[] }
/** Null: they go on until somebody ends them. */
export type Answer = 'passed' | 'failed' | null
export type Answering = (question: Question) => Answer | Promise<Answer>

/** Ends a run, each of its commands the same way. */
export const finishRun = (
  hearth: Hearth,
  run_id: string,
  status: 'passed' | 'failed',
  duration_ms = 1,
): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const run = findRun(tx.db, run_id)
    if (!run || hasEnded(run)) return
    setStarted(tx, run_id)
    for (const { id } of listResults(tx.db, run_id)) {
      setResultStarted(tx, id)
      setResultEnded(tx, id, {
        status,
        exit_code: status === 'passed' ? 0 : 1,
        duration_ms,
        output_tail: 'output',
        log_bytes: 6,
      })
    }
    endRun(tx, run_id, null)
  })

export async function answerRun(hearth: Hearth, run_id: string, answer: Answering): Promise<void> {
  const run = findRun(hearth.db, run_id)
  if (!run || hasEnded(run)) return
  const commands = listResults(hearth.db, run_id).map(({ command }) => command)
  const said =
    run.purpose === 'pull'
      ? 'passed'
      : await answer({ hearth, commit: run.merge_sha ?? '', number: run.number, commands })
  if (said !== null) await finishRun(hearth, run_id, said)
}
