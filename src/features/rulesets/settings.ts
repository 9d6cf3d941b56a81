/**
 * What rules make of a repository's settings for merging into one base: only ever stricter, and the
 * strictest number holds.
 */
import type { Hearth } from '#core/hearth.ts'
import type { SettingsQuestion } from '#features/pulls/index.ts'
import type { RepoSettings } from '#features/repos/schema.ts'
import type { Static } from '#core/schema.ts'
import { passer, isOf, type InForce, type RuleOf } from './in-force.ts'
import { rulesForMerge } from './merge-rules.ts'

type Settings = Static<typeof RepoSettings>

/** Those that are enforced on whoever asks. */
function enforced(
  hearth: Hearth,
  { context, base_ref, pull, by }: SettingsQuestion,
): readonly InForce[] {
  const about = { base_ref, author_id: pull?.author_id ?? '', agent: pull?.agent ?? null }
  const rules = rulesForMerge(hearth, context.repo, about, by).filter(
    ({ ruleset }) => ruleset.enforcement === 'active',
  )
  if (rules.length === 0) return []
  const passes = passer(hearth, context.repo, by, 'merge')
  return rules.filter(({ ruleset }) => !passes(ruleset))
}

export function tightened(
  hearth: Hearth,
  question: SettingsQuestion,
  settings: Settings,
): Settings {
  let now = settings
  for (const one of enforced(hearth, question)) {
    if (isOf(one, 'pull_request')) now = { ...now, ...byPullRequest(now, one.rule.parameters) }
    else if (isOf(one, 'linear_history'))
      now = { ...now, merge_methods: now.merge_methods.filter((method) => method !== 'merge') }
    else if (isOf(one, 'required_checks') && one.rule.parameters.strict)
      now = { ...now, require_up_to_date: true }
    else if (isOf(one, 'merge_queue')) now = { ...now, merge_queue: true }
  }
  return now
}

const byPullRequest = (
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

/** What rules say about the queue of a base: the fewest slots, the shortest time. */
export function queueRuleOf(
  hearth: Hearth,
  context: SettingsQuestion['context'],
  base_ref: string,
): { slots: number; timeout_minutes: number | null } | null {
  const rules = enforced(hearth, { context, base_ref, pull: null, by: null }).flatMap((one) =>
    isOf(one, 'merge_queue') ? [one.rule.parameters] : [],
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
