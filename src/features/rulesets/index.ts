/** Rulesets: rules for pushes and merges, for everyone or for agents only. A leaf. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import {
  costAllowances,
  mergeAttempts,
  mergeFacts,
  mergeRules,
  queueRules,
  stricterSettings,
} from '#features/pulls/index.ts'
import {
  repoDataRemovers,
  frozenReleases,
  moveRules,
  pullOnlyRules,
} from '#features/repos/index.ts'
import { usageCounters } from '#features/workspaces/index.ts'
import { costAllowancesOf, followCosts } from './cost-caps.ts'
import { sweepEvaluations } from './evaluations.ts'
import { events } from './events.ts'
import {
  followChanges,
  followKeyChanges,
  followKeys,
  followRulesets,
  computeFindings,
  refreshFindings,
} from './findings.ts'
import { mergeBlockers, recordMergeAttempt } from './merge-rules.ts'
import { moveRulings } from './move-rules.ts'
import { pullOnlyRulesOf } from './pull-only-rules.ts'
import { watchOpened, watchPushed } from './open-pull-rules.ts'
import { immutableBy } from './release-rules.ts'
import { queueRuleOf, tightenSettings } from './merge-settings.ts'
import { countCosts, removeEvaluationsOf } from './store-evaluations.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'rulesets',
  operations: Object.values(operations),
  events,
  reactions: [watchOpened, watchPushed, followChanges],
  handlers: [followCosts, followKeyChanges],
  jobs: [sweepEvaluations, refreshFindings, followRulesets, followKeys] as Job[],
  extensions: [
    costAllowances.with(costAllowancesOf),
    moveRules.with(moveRulings),
    pullOnlyRules.with(pullOnlyRulesOf),
    mergeRules.with(mergeBlockers),
    mergeFacts.with(computeFindings),
    mergeAttempts.with(recordMergeAttempt),
    stricterSettings.with(tightenSettings),
    queueRules.with(queueRuleOf),
    frozenReleases.with(immutableBy),
    repoDataRemovers.with(removeEvaluationsOf),
    usageCounters.with({ part: 'agent_usd_this_month', count: countCosts }),
  ],
}
