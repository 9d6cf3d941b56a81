/**
 * Applies rules to the merge settings of a repository. Rules only make settings stricter; the
 * strictest number holds.
 */
import type { Hearth } from '#core/hearth.ts'
import type { SettingsScope } from '#features/pulls/index.ts'
import type { RepoSettings } from '#features/repos/schema.ts'
import type { Static } from '#core/schema.ts'
import { bypassCheck, isRuleOf, type ApplicableRule, type RuleOf } from './applicable-rules.ts'
import { rulesForMerge } from './merge-rules.ts'

type Settings = Static<typeof RepoSettings>

/** The active rules that the caller may not bypass. */
function enforcedRules(
  hearth: Hearth,
  { context, base_ref, pull, by }: SettingsScope,
): readonly ApplicableRule[] {
  const about = { base_ref, author_id: pull?.author_id ?? '', agent: pull?.agent ?? null }
  const rules = rulesForMerge(hearth, context.repo, about, by).filter(
    ({ ruleset }) => ruleset.enforcement === 'active',
  )
  if (rules.length === 0) return []
  const passes = bypassCheck(hearth, context.repo, by, 'merge')
  return rules.filter(({ ruleset }) => !passes(ruleset))
}

export function tightenSettings(
  hearth: Hearth,
  question: SettingsScope,
  settings: Settings,
): Settings {
  let now = settings
  for (const one of enforcedRules(hearth, question)) {
    if (isRuleOf(one, 'pull_request'))
      now = { ...now, ...settingsByPullRequestRule(now, one.rule.parameters) }
    else if (isRuleOf(one, 'linear_history'))
      now = { ...now, merge_methods: now.merge_methods.filter((method) => method !== 'merge') }
    else if (isRuleOf(one, 'required_checks') && one.rule.parameters.strict)
      now = { ...now, require_up_to_date: true }
    else if (isRuleOf(one, 'merge_queue')) now = { ...now, merge_queue: true }
  }
  return now
}

const settingsByPullRequestRule = (
  settings: Settings,
  rule: RuleOf<'pull_request'>['parameters'],
): Partial<Settings> => ({
  required_approvals: Math.max(settings.required_approvals, rule.required_approvals),
  dismiss_stale_approvals: settings.dismiss_stale_approvals || rule.dismiss_stale,
  require_code_owner_review: settings.require_code_owner_review || rule.require_code_owner,
  require_conversation_resolution:
    settings.require_conversation_resolution || rule.require_conversation_resolution,
  merge_methods: settings.merge_methods.filter((method) =>
    rule.allowed_methods.some((allowed) => allowed === method),
  ),
})

/** The queue settings by rules: the fewest slots, the shortest timeout. */
export function queueRuleOf(
  hearth: Hearth,
  context: SettingsScope['context'],
  base_ref: string,
): { slots: number; timeout_minutes: number | null } | null {
  const rules = enforcedRules(hearth, { context, base_ref, pull: null, by: null }).flatMap((one) =>
    isRuleOf(one, 'merge_queue') ? [one.rule.parameters] : [],
  )
  if (rules.length === 0) return null
  const times = rules.flatMap(({ timeout_minutes }) =>
    timeout_minutes === null ? [] : [timeout_minutes],
  )
  return {
    slots: Math.min(...rules.map(({ slots }) => slots)),
    timeout_minutes: times.length === 0 ? null : Math.min(...times),
  }
}
