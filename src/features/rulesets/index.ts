/**
 * Rulesets: what may be pushed and merged, held against everybody or against agents only. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import {
  mergeAttempts,
  mergeFacts,
  mergeRules,
  pagesOfPulls,
  queueRules,
  stricterSettings,
} from '#features/pulls/index.ts'
import { belongings, frozenReleases, moveRules } from '#features/repos/index.ts'
import { usageParts } from '#features/workspaces/index.ts'
import { createRuleset } from './create-ruleset.ts'
import { followCosts } from './costs.ts'
import { deleteRuleset } from './delete-ruleset.ts'
import { sweepEvaluations } from './evaluations.ts'
import { events } from './events.ts'
import {
  followChanges,
  followKeyChanges,
  followKeys,
  followRulesets,
  readFindings,
  refreshFindings,
} from './findings.ts'
import { getRuleset } from './get-ruleset.ts'
import { listBranchRules } from './list-branch-rules.ts'
import { listRuleEvaluations } from './list-rule-evaluations.ts'
import { listRulesets } from './list-rulesets.ts'
import { mergeBlockers, noteMerge } from './merge-rules.ts'
import { moveRulings } from './move-rules.ts'
import { watchOpened, watchPushed } from './opened.ts'
import { frozenBy } from './releases.ts'
import { queueRuleOf, tightened } from './settings.ts'
import { costOfWorkspace, keepFindings, removeEvaluationsOf } from './store-evaluations.ts'
import { updateRuleset } from './update-ruleset.ts'

export * from './schema.ts'
export { rulesetChanged } from './events.ts'
export {
  createRuleset,
  deleteRuleset,
  getRuleset,
  listBranchRules,
  listRuleEvaluations,
  listRulesets,
  updateRuleset,
}

export const feature: Feature = {
  name: 'rulesets',
  operations: [
    listRulesets,
    createRuleset,
    getRuleset,
    updateRuleset,
    deleteRuleset,
    listBranchRules,
    listRuleEvaluations,
  ],
  events,
  reactions: [watchOpened, watchPushed, followChanges],
  followers: [followCosts, followKeyChanges],
  jobs: [sweepEvaluations, refreshFindings, followRulesets, followKeys] as Job[],
  extensions: [
    moveRules.with(moveRulings),
    mergeRules.with(mergeBlockers),
    mergeFacts.with(readFindings),
    mergeAttempts.with(noteMerge),
    pagesOfPulls.with((db, _, pulls) =>
      keepFindings(
        db,
        pulls.map(({ id }) => id),
      ),
    ),
    stricterSettings.with(tightened),
    queueRules.with(queueRuleOf),
    frozenReleases.with(frozenBy),
    belongings.with(removeEvaluationsOf),
    usageParts.with({ part: 'agent_usd_this_month', count: costOfWorkspace }),
  ],
}
