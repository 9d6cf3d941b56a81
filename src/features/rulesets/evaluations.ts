/** Records rule evaluations, so that administrators can see what a ruleset does. */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { requireRepo } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import type { Result } from './schema.ts'
import type { RuleResult } from './applicable-rules.ts'
import { insertEvaluation, removeEvaluations } from './store-evaluations.ts'

const RETENTION_DAYS = 90
const ROWS_PER_BATCH = 1_000
const MAX_MESSAGE_LENGTH = 1_000

export type Occasion = {
  readonly repo_id: string
  readonly ref: string
  readonly sha: Oid | null
  readonly pull_number: number | null
  readonly actor_id: string | null
}

const resultOf = ({ problem, passed }: RuleResult): Result =>
  problem === null ? 'pass' : passed ? 'bypass' : 'fail'

/**
 * Stores the evaluations of one push or merge. A bypass of an active rule is recorded in the audit
 * log as well.
 */
export function recordEvaluations(
  tx: Tx,
  occasion: Occasion,
  results: readonly RuleResult[],
): void {
  for (const verdict of results) {
    const { ruleset, rule } = verdict.one
    insertEvaluation(tx, {
      ...occasion,
      id: typeId('rse', tx.now_ms),
      ruleset_id: ruleset.id,
      ruleset_name: ruleset.name,
      rule: rule.type,
      result: resultOf(verdict),
      enforced: ruleset.enforcement === 'active' ? 1 : 0,
      message: verdict.problem === null ? null : verdict.problem.slice(0, MAX_MESSAGE_LENGTH),
      time: tx.now,
    })
    if (verdict.passed && verdict.problem !== null && ruleset.enforcement === 'active')
      auditBypass(tx, occasion, verdict)
  }
}

function auditBypass(
  tx: Tx,
  { repo_id, ref, sha, pull_number }: Occasion,
  { one: { ruleset, rule }, problem }: RuleResult,
): void {
  tx.audit({
    action: 'ruleset.bypassed',
    target: { kind: 'ruleset', id: ruleset.id, name: ruleset.name },
    workspace_id: requireRepo(tx.db, repo_id).workspace_id,
    repo_id,
    data: { rule: rule.type, ref, sha, pull: pull_number, message: problem },
  })
}

/** Removes evaluations older than 90 days. */
export const sweepEvaluations = job<null>({
  kind: 'sweep_rule_evaluations',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - RETENTION_DAYS * DAY)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeEvaluations(tx, before, ROWS_PER_BATCH))) ===
        ROWS_PER_BATCH
    );
  },
})
