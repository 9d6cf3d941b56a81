/**
 * The doctor: everything that lasts, looked at. It changes nothing; each finding brings what would
 * mend it, where something can.
 */
import type { Hearth } from '#core/hearth.ts'
import { auditLog, database } from './database.ts'
import { bucketOwner } from './bucket.ts'
import type { Check, Finding } from './finding.ts'
import { gitStores } from './git-stores.ts'
import { leftovers } from './leftovers.ts'
import { clock, disk, permissions } from './machine.ts'
import { files, orphanStores } from './orphans.ts'
import { backupAge, failedJobs } from './work.ts'

export type { Finding } from './finding.ts'
export type Examined = { readonly check: string; readonly finding: Finding }

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
  /** A restored copy: only what is in it counts, not the machine. */
  readonly copy?: boolean
  readonly signal?: AbortSignal
  /** Told when a check is over, with what it found. */
  readonly heard?: (check: string, findings: readonly Finding[]) => Promise<void> | void
}

/** A check that falls over is a finding too. */
export async function examine(hearth: Hearth, options: ExamineOptions = {}): Promise<Examined[]> {
  const look = { hearth, signal: options.signal ?? new AbortController().signal }
  const all: Examined[] = []
  for (const check of CHECKS) {
    if (options.copy && !check.ofCopies) continue
    look.signal.throwIfAborted()
    let findings: readonly Finding[]
    try {
      findings = await check.run(look)
    } catch (error) {
      look.signal.throwIfAborted()
      findings = [
        {
          level: 'fault',
          what: `could not be looked at: ${error instanceof Error ? error.message : String(error)}`,
          means: 'Mend what is named there, and look again.',
          mend: null,
        },
      ]
    }
    await options.heard?.(check.name, findings)
    all.push(...findings.map((finding) => ({ check: check.name, finding })))
  }
  return all
}
