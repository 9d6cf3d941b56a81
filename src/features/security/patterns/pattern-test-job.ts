/** The job that looks for one pattern in the history of a repository. It opens no alerts. */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { findSecrets, repoById } from '#features/repos/index.ts'
import { timestamp } from '#lib/time.ts'
import { previewOf } from '../secrets/fingerprint.ts'
import { listScannedTips } from '../secrets/history-job.ts'
import { ruleOfPattern } from './pattern-rules.ts'
import type { PatternTest } from './schema.ts'
import { findPattern, setPatternTest } from './store.ts'

/** The test ends with so many matches: the pattern is of no use then. */
const MAX_MATCHES = 1000
const MAX_PLACES = 50
/** A history that takes longer is read in part. */
const MAX_MS = 10 * 60_000
/** As many as a job has by default. */
const MAX_ATTEMPTS = 5

type TestInput = {
  readonly pattern: string
  readonly repo_id: string
  readonly created_at: string
}

/** Stores a result, unless the pattern was changed or tested again meanwhile. */
const finish = (
  hearth: Hearth,
  { pattern, created_at }: TestInput,
  result: Partial<PatternTest>,
): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const row = findPattern(tx.db, pattern)
    const before = row?.test ? (JSON.parse(row.test) as PatternTest) : null
    if (before?.created_at !== created_at || before.state !== 'queued') return
    setPatternTest(
      tx,
      pattern,
      JSON.stringify({ ...before, ...result, finished_at: timestamp(hearth.clock.now()) }),
    )
  })

async function runTest(hearth: Hearth, input: TestInput, signal: AbortSignal): Promise<void> {
  const row = findPattern(hearth.db, input.pattern)
  const repo = repoById(hearth.db, input.repo_id)
  if (!row || !repo || repo.deleted_at !== null) return finish(hearth, input, { state: 'failed' })
  const { found, commits, complete } = await findSecrets(
    hearth.git,
    repo.store,
    { tips: await listScannedTips(hearth, repo), hide: [] },
    {
      custom: [ruleOfPattern(row)],
      onlyCustom: true,
      limits: { matches: MAX_MATCHES, milliseconds: MAX_MS },
    },
    signal,
  )
  const places = found
    .slice(0, MAX_PLACES)
    .map(({ path, line, commit, secret }) => ({ path, line, commit, preview: previewOf(secret) }))
  return finish(hearth, input, {
    state: 'complete',
    commits,
    matches: found.length,
    complete,
    places,
  })
}

export const runPatternTest = job<TestInput>({
  kind: 'test_secret_pattern',
  queue: 'history',
  run: async ({ hearth, signal, attempt }, input) => {
    try {
      await runTest(hearth, input, signal)
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS && !signal.aborted)
        await finish(hearth, input, { state: 'failed' })
      throw error
    }
  },
})
