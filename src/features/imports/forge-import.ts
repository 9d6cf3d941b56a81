/** The parts of an import that come from the API of another forge. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { removeUnusedLabels } from '#features/issues/index.ts'
import { requireRepo, reserveNumbers, wikiCopiers, type RepoRow } from '#features/repos/index.ts'
import { parseRemote } from '#features/repos/index.ts'
import { ForgeError } from './forges/forge-client.ts'
import { openForge, type OpenForge } from './forges/open-forge.ts'
import type { ForeignRepo } from './forges/forge.ts'
import { STEP_NAMES, type StepName } from './schema.ts'
import { addErrors, noteProgress, setCodeComplete, setFacts, type ImportRow } from './store.ts'
import { findStep, isStepDone, listNumbersAfter, setStep } from './store-steps.ts'
import type { StepContext } from './steps/context.ts'
import { commentsStep, reviewsStep } from './steps/comment-steps.ts'
import {
  collaboratorsStep,
  issuesStep,
  labelsStep,
  milestonesStep,
  pullsStep,
} from './steps/record-steps.ts'
import { releasesStep } from './steps/release-step.ts'
import { requireRunning, runStep, writeForImport } from './steps/run-step.ts'
import { timelineStep } from './steps/timeline-step.ts'

/** Addresses and references have numbers of at most nine digits. */
const MAX_NUMBER = 999_999_999

/** The git address of a repository of another forge. */
export const cloneUrlOf = (url: string): string => `${url.replace(/\.git$/, '')}.git`
const wikiUrlOf = (url: string): string => `${url.replace(/\.git$/, '')}.wiki.git`

export type ForgeImport = {
  readonly facts: ForeignRepo
  readonly open: OpenForge
  /** What people come from. */
  readonly host: string
  /** The address of the repository there, which links in texts begin with. */
  readonly url: string
}

/**
 * Reads what the other forge says about the repository, once: numbers up to its highest are taken
 * from then on, so that nobody's new issue gets one of them.
 */
export async function beginForgeImport(
  hearth: Hearth,
  row: ImportRow,
  token: string | null,
  signal: AbortSignal,
): Promise<ForgeImport | null> {
  if (row.source === 'git') return null
  const known = row.facts === null ? null : (JSON.parse(row.facts) as ForeignRepo)
  const address = { source: row.source, url: row.url, token }
  const open = openForge(hearth, address, known?.pull_offset ?? null, signal)
  const from = { open, host: parseRemote(row.url).host, url: row.url.replace(/\.git$/, '') }
  if (known !== null) return { ...from, facts: known }
  const facts = await open.forge.repo()
  await rememberFacts(hearth, row, facts)
  return { ...from, facts }
}

/** Takes the numbers of a repository for its import. */
export async function rememberFacts(
  hearth: Hearth,
  row: ImportRow,
  facts: ForeignRepo,
): Promise<void> {
  if (facts.highest > MAX_NUMBER)
    throw new ForgeError(`the other forge counts to ${facts.highest}, which no number here is`, 200)
  await writeAs(hearth, null, (tx) => {
    const repo = requireRepo(tx.db, row.repo_id)
    requireRunning(tx, { row, repo })
    setFacts(tx, row.id, JSON.stringify(facts))
    noteProgress(tx, row.id)
    reserveNumbers(tx, repo.id, facts.highest)
    const isNew = listNumbersAfter(tx.db, repo.id, null, 0, 1).length === 0
    if (isNew && findStep(tx.db, row.id, 'labels') !== null) removeUnusedLabels(tx, repo.id)
  })
}

/** Makes the repository usable: its branches are there, and the rest arrives while it is used. */
export const completeCode = (hearth: Hearth, row: ImportRow, left: readonly string[]) =>
  writeForImport({ hearth, row, repo: requireRepo(hearth.db, row.repo_id) }, (tx) => {
    setCodeComplete(tx, row.id)
    noteProgress(tx, row.id)
    addErrors(tx, row.id, left)
    if (findStep(tx.db, row.id, 'code') !== null)
      setStep(tx, row.id, 'code', { state: left.length > 0 ? 'done_with_errors' : 'done' })
  })

async function copyWiki(context: StepContext): Promise<void> {
  const { hearth, row, facts, repo, token, signal } = context
  const step = findStep(hearth.db, row.id, 'wiki')
  if (!step || isStepDone(step)) return
  const [copy] = wikiCopiers.all(hearth)
  const found =
    facts.wiki_url !== null &&
    copy !== undefined &&
    (await copy(hearth, repo, {
      url: wikiUrlOf(row.url),
      secret: token,
      actor_id: row.created_by,
      signal,
    }))
  await writeForImport(context, (tx) => {
    noteProgress(tx, row.id)
    setStep(tx, row.id, 'wiki', { state: 'done', done: found ? 1 : 0, total: found ? 1 : 0 })
  })
}

/** Attachments came with the texts that name them; this step counts them. */
async function endAttachments(context: StepContext): Promise<void> {
  const { hearth, row } = context
  const step = findStep(hearth.db, row.id, 'attachments')
  if (!step || isStepDone(step)) return
  const state = step.done < step.total ? 'done_with_errors' : 'done'
  await writeForImport(context, (tx) => setStep(tx, row.id, 'attachments', { state }))
}

const LIST_STEPS: Partial<Record<StepName, (context: StepContext) => Promise<void>>> = {
  wiki: copyWiki,
  collaborators: (context) => runStep(context, collaboratorsStep),
  labels: (context) => runStep(context, labelsStep),
  milestones: (context) => runStep(context, milestonesStep),
  issues: (context) => runStep(context, issuesStep),
  pulls: (context) => runStep(context, pullsStep),
  comments: (context) => runStep(context, commentsStep),
  reviews: (context) => runStep(context, reviewsStep),
  timeline: (context) => runStep(context, timelineStep),
  releases: (context) => runStep(context, releasesStep),
  attachments: endAttachments,
}

/** A step failed. The import may go on with the next one. */
export class StepFailed extends Error {
  constructor(
    readonly step: StepName,
    override readonly cause: unknown,
  ) {
    super(`the step ${step} failed`)
  }
}

/** Runs the steps that are not done, in their order. Throws `StepFailed`. */
export async function runForgeSteps(
  hearth: Hearth,
  row: ImportRow,
  { facts, open, host, url }: ForgeImport,
  token: string | null,
  signal: AbortSignal,
): Promise<void> {
  for (const name of STEP_NAMES) {
    const run = LIST_STEPS[name]
    if (!run || findStep(hearth.db, row.id, name) === null) continue
    const repo: RepoRow = requireRepo(hearth.db, row.repo_id)
    const context: StepContext = {
      hearth,
      row,
      repo,
      facts,
      forge: open.forge,
      client: open.client,
      token,
      people: { repo_id: repo.id, workspace_id: repo.workspace_id, host },
      texts: { url, pull_offset: facts.pull_offset },
      signal,
    }
    try {
      await run(context)
    } catch (error) {
      throw new StepFailed(name, error)
    }
  }
}
