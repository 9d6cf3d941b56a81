/**
 * The doctor: checks all persistent data. It changes nothing; a finding contains its repair where
 * there is one.
 */
import { join } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import { auditLog, database } from './database.ts'
import { bucketOwner } from './bucket.ts'
import type { Check, CheckContext, Finding } from './finding.ts'
import type { DatabaseInspection } from '../backup-tasks.ts'
import { runOnThread } from '../backup-thread.ts'
import { gitStores } from './git-stores.ts'
import { leftovers } from './leftovers.ts'
import { clock, disk, permissions } from './machine.ts'
import { files, orphanStores } from './orphans.ts'
import { backupAge, failedJobs } from './stalled-work.ts'

export type { Finding } from './finding.ts'
export type CheckedFinding = { readonly check: string; readonly finding: Finding }

const CHECKS: readonly Check[] = [
  database,
  auditLog,
  bucketOwner,
  gitStores,
  orphanStores,
  files,
  leftovers,
  permissions,
  clock,
  disk,
  failedJobs,
  backupAge,
]

export type ExamineOptions = {
  /** Check a restored copy: its contents, not the machine. */
  readonly copy?: boolean
  readonly signal?: AbortSignal
  /** Called when a check has finished, with its findings. */
  readonly onCheck?: (check: string, findings: readonly Finding[]) => Promise<void> | void
}

/** Runs all checks. A check that throws becomes a finding. */
export async function examine(
  hearth: Hearth,
  options: ExamineOptions = {},
): Promise<CheckedFinding[]> {
  const signal = options.signal ?? new AbortController().signal
  let inspection: Promise<DatabaseInspection> | null = null
  const context: CheckContext = {
    hearth,
    signal,
    inspectDatabase: () =>
      (inspection ??= runOnThread('inspect', { path: join(hearth.settings.data, 'hearth.db') })),
  }
  const all: CheckedFinding[] = []
  for (const check of CHECKS) {
    if (options.copy && !check.appliesToCopies) continue
    signal.throwIfAborted()
    let findings: readonly Finding[]
    try {
      findings = await check.run(context)
    } catch (error) {
      signal.throwIfAborted()
      findings = [
        {
          level: 'fault',
          problem: `could not be looked at: ${error instanceof Error ? error.message : String(error)}`,
          advice: 'Mend what is named there, and look again.',
          repair: null,
        },
      ]
    }
    await options.onCheck?.(check.name, findings)
    all.push(...findings.map((finding) => ({ check: check.name, finding })))
  }
  return all
}
