/** The job that turns an upload into analyses and alerts, in transactions of bounded size. */
import { localBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import type { Oid } from '#git'
import { branchRef, requireRepo, type RepoRow } from '#features/repos/index.ts'
import { findPull } from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import { nextTurn } from '#lib/waiting.ts'
import { alertOpened, analysisCompleted } from '../events.ts'
import { SEVERITIES, type Severity } from '../schema.ts'
import { pullScope, type PullScope } from './added-lines.ts'
import { placeResults } from './file-lines.ts'
import { matchAlerts, type AlertKey, type Match } from './match-alerts.ts'
import type { SarifRun } from './sarif/read-sarif.ts'
import { sarifThread } from './sarif/sarif-thread.ts'
import {
  fixInstances,
  insertCodeAlert,
  listAlertKeys,
  listOpenOnRef,
  putInstance,
  putRule,
  refreshCodeAlert,
  settleStates,
} from './store-alerts.ts'
import {
  completeAnalysis,
  countAlertsOf,
  findAnalysisOfRun,
  findUpload,
  insertAnalysis,
  setUploadState,
  type AnalysisRow,
  type UploadRow,
} from './store-analyses.ts'

/** Rows of one transaction, which take about 10 ms. */
const BATCH = 100
const PAGE = 1_000

const slices = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )

async function readAlertKeys(hearth: Hearth, repo_id: string, tool: string): Promise<AlertKey[]> {
  const keys: AlertKey[] = []
  for (let after = 0; ; ) {
    const page = listAlertKeys(hearth.db, repo_id, tool, after, PAGE)
    keys.push(...page)
    if (page.length < PAGE) return keys
    after = page.at(-1)?.seq ?? after
    await nextTurn()
  }
}

type Work = {
  readonly hearth: Hearth
  readonly upload: UploadRow
  readonly repo: RepoRow
  readonly signal: AbortSignal
}

/** What the pull request of an upload adds; the commit itself for other refs. */
async function scopeOf(
  { hearth, upload, repo }: Work,
  paths: readonly string[],
): Promise<PullScope> {
  const pull = upload.pull === null ? null : findPull(hearth.db, repo.id, upload.pull)
  if (pull === null) return { head_sha: upload.commit_sha, adds: () => false }
  return pullScope(hearth, repo.store, { pull, commit: upload.commit_sha, paths })
}

async function beginAnalysis(
  { hearth, upload }: Work,
  index: number,
  run: SarifRun,
  facts: { head_sha: Oid; dropped: number },
): Promise<AnalysisRow> {
  const tool = upload.tool_name ?? run.tool
  await writeAs(hearth, null, (tx) => {
    // A job that was interrupted goes on with its analysis.
    if (findAnalysisOfRun(tx.db, upload.id, index) !== null) return
    insertAnalysis(tx, {
      id: typeId('ana', tx.now_ms),
      repo_id: upload.repo_id,
      upload_id: upload.id,
      run_index: index,
      tool,
      tool_version: run.tool_version,
      category: upload.category ?? run.category ?? '',
      commit_sha: upload.commit_sha,
      head_sha: facts.head_sha,
      git_ref: upload.git_ref,
      pull: upload.pull,
      results: run.total,
      dropped: facts.dropped,
    })
  })
  for (const rules of slices(run.rules, BATCH))
    await writeAs(hearth, null, (tx) => {
      for (const rule of rules) putRule(tx, upload.repo_id, tool, rule)
    })
  const analysis = findAnalysisOfRun(hearth.db, upload.id, index)
  if (analysis === null) throw new TypeError('the analysis that was just added is gone')
  return analysis
}

type Opened = { first: string | null; count: number; severity: Severity | null }

const worse = (a: Severity | null, b: Severity): Severity =>
  a !== null && SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b) ? a : b

/** Stores one batch of results and counts the alerts that they open. */
function storeMatches(
  { hearth, repo }: Work,
  analysis: AnalysisRow,
  matches: readonly Match[],
  scope: PullScope,
): Promise<Opened> {
  return writeAs(hearth, null, (tx) => {
    const opened: Opened = { first: null, count: 0, severity: null }
    const ids = matches.map(({ placed, alert_id }) => {
      const { severity, message, rule_id } = placed.result
      const id = alert_id ?? typeId('csa', tx.now_ms)
      if (alert_id === null) {
        const { repo_id, tool } = analysis
        const { path, hash } = placed
        insertCodeAlert(tx, {
          id,
          repo_id,
          tool,
          rule_id,
          path,
          line_hash: hash,
          severity,
          message,
        })
        opened.first ??= id
        opened.count++
        opened.severity = worse(opened.severity, severity)
      } else refreshCodeAlert(tx, { id, path: placed.path, severity, message })
      putInstance(tx, {
        alert_id: id,
        ref: analysis.git_ref,
        category: analysis.category,
        repo_id: analysis.repo_id,
        tool: analysis.tool,
        analysis_seq: analysis.seq,
        tool_version: analysis.tool_version,
        path: placed.path,
        start_line: placed.line,
        end_line: placed.end_line,
        commit_sha: analysis.commit_sha,
        blob: placed.blob,
        state: 'open',
        is_new: scope.adds(placed.path, placed.line) ? 1 : 0,
      })
      return id
    })
    settleStates(tx, ids, branchRef(repo.default_branch))
    countAlertsOf(tx, analysis.seq, { opened: opened.count })
    return opened
  })
}

/** Marks what the analysis no longer has as fixed on its ref, and completes it. */
async function completeWith(work: Work, analysis: AnalysisRow, opened: Opened): Promise<void> {
  const { hearth, repo } = work
  const fixBatch = () =>
    writeAs(hearth, null, (tx) => {
      const gone = fixInstances(
        tx,
        {
          repo_id: analysis.repo_id,
          ref: analysis.git_ref,
          tool: analysis.tool,
          category: analysis.category,
          analysis_seq: analysis.seq,
        },
        BATCH,
      )
      settleStates(tx, gone, branchRef(repo.default_branch))
      countAlertsOf(tx, analysis.seq, { fixed: gone.length })
      return gone.length
    })
  while ((await fixBatch()) === BATCH) work.signal.throwIfAborted()
  await writeAs(hearth, null, (tx) => {
    completeAnalysis(tx, analysis.seq)
    const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
    tx.append(analysisCompleted, subject, {
      analysis: analysis.id,
      tool: analysis.tool,
      sha: analysis.head_sha,
      pull: analysis.pull,
    })
    if (opened.first === null) return
    tx.append(alertOpened, subject, {
      kind: 'code',
      alert: opened.first,
      severity: opened.severity,
      count: opened.count,
    })
  })
}

async function processRun(work: Work, run: SarifRun, index: number): Promise<string[]> {
  const { hearth, upload, repo, signal } = work
  const commit = await hearth.git.readCommit(repo.store, upload.commit_sha)
  const { placed, unplaced } = await placeResults(
    hearth,
    { store: repo.store, commit: commit?.oid ?? null, caller: repo.id },
    run.results,
    signal,
  )
  const scope = await scopeOf(work, [...new Set(placed.map(({ path }) => path))])
  const analysis = await beginAnalysis(work, index, run, {
    head_sha: scope.head_sha,
    dropped: run.dropped + unplaced,
  })
  const place = {
    repo_id: repo.id,
    ref: analysis.git_ref,
    tool: analysis.tool,
    category: analysis.category,
  }
  const matches = matchAlerts(
    placed,
    await readAlertKeys(hearth, repo.id, analysis.tool),
    new Set(listOpenOnRef(hearth.db, place)),
  )
  const all: Opened = { first: null, count: 0, severity: null }
  for (const batch of slices(matches, BATCH)) {
    signal.throwIfAborted()
    const opened = await storeMatches(work, analysis, batch, scope)
    all.first ??= opened.first
    all.count += opened.count
    if (opened.severity !== null) all.severity = worse(all.severity, opened.severity)
  }
  await completeWith(work, analysis, all)
  return [
    ...run.errors,
    ...(unplaced > 0 ? [`${unplaced} results are in no file of the commit`] : []),
  ]
}

async function processRuns(work: Work, file: string): Promise<string[]> {
  const errors: string[] = []
  for (let index = 0, count = 1; index < count; index++) {
    const read = await sarifThread(work.hearth).readRun(work.repo.id, file, index)
    count = read.count
    if (count === 0) break
    errors.push(...(await processRun(work, read.run, index)))
  }
  return errors
}

export const processUpload = job<{ upload: string }>({
  kind: 'process_sarif',
  queue: 'security',
  run: async ({ hearth, signal }, { upload: id }) => {
    const upload = findUpload(hearth.db, id)
    if (upload?.state !== 'pending') return
    const end = (state: UploadRow['state'], errors: readonly string[]) =>
      writeAs(hearth, null, (tx) => setUploadState(tx, id, state, errors))
    const file = upload.sha256 === null ? null : await localBlob(hearth, upload.sha256)
    if (file === null) return end('failed', ['the uploaded file is gone'])
    try {
      const repo = requireRepo(hearth.db, upload.repo_id)
      const errors = await processRuns({ hearth, upload, repo, signal }, file)
      await end('complete', errors)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid') throw error
      await end('failed', [error.message])
    }
  },
})
