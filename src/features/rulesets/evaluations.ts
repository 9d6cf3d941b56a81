/** Keeps what came of rules, for those who look later whether they do what they are for. */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { requireRepo } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import type { Result } from './schema.ts'
import type { Verdict } from './in-force.ts'
import { insertEvaluation, removeEvaluations } from './store-evaluations.ts'

const KEPT_DAYS = 90
const AT_ONCE = 1_000
const LONGEST_MESSAGE = 1_000

export type Occasion = {
  readonly repo_id: string
  readonly ref: string
  readonly sha: Oid | null
  readonly pull_number: number | null
  readonly actor_id: string | null
}

const resultOf = ({ problem, passed }: Verdict): Result =>
  problem === null ? 'pass' : passed ? 'bypass' : 'fail'

/**
 * Notes verdicts of one occasion. Who passes a rule that is enforced is in the audit log as well.
 */
export function noteVerdicts(tx: Tx, occasion: Occasion, verdicts: readonly Verdict[]): void {
  for (const verdict of verdicts) {
    const { ruleset, rule } = verdict.one
    insertEvaluation(tx, {
      ...occasion,
      id: typeId('rse', tx.now_ms),
      ruleset_id: ruleset.id,
      ruleset_name: ruleset.name,
      rule: rule.type,
      result: resultOf(verdict),
      enforced: ruleset.enforcement === 'active' ? 1 : 0,
      message: verdict.problem === null ? null : verdict.problem.slice(0, LONGEST_MESSAGE),
      time: tx.now,
    })
    if (verdict.passed && verdict.problem !== null && ruleset.enforcement === 'active')
      auditPass(tx, occasion, verdict)
  }
}

function auditPass(
  tx: Tx,
  { repo_id, ref, sha, pull_number }: Occasion,
  { one: { ruleset, rule }, problem }: Verdict,
): void {
  tx.audit({
    action: 'ruleset.bypassed',
    target: { kind: 'ruleset', id: ruleset.id, name: ruleset.name },
    workspace_id: requireRepo(tx.db, repo_id).workspace_id,
    repo_id,
    data: { rule: rule.type, ref, sha, pull: pull_number, message: problem },
  })
}

/** Takes away what is older than ninety days. */
export const sweepEvaluations = job<null>({
  kind: 'sweep_rule_evaluations',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - KEPT_DAYS * DAY)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeEvaluations(tx, before, AT_ONCE))) === AT_ONCE
    );
  },
})
