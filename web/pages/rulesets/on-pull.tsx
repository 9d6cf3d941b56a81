// The rules on the page of a pull request.
import { listBranchRules, type BranchRule } from '#features/rulesets/index.ts'
import type { Pull, StandingAlert } from '#features/pulls/index.ts'
import { Icon } from '../../components/index.ts'
import { sentenceCase } from '../../format.ts'
import { translateMessage } from '../../messages.ts'
import type { Visit } from '../../site.ts'
import { branchRulesPath } from './branch.tsx'
import { SeverityChip } from '../security/severity.tsx'
import { rich, texts, tn } from '../../text.ts'

type Blocker = Pull['blockers'][number]

/** The rules of the base branch of a pull request. */
export const rulesOfBase = async (
  visit: Visit,
  repo: string,
  base: string,
): Promise<readonly BranchRule[]> =>
  (await visit.tryCall(listBranchRules, { repo, branch: base }))?.items ?? []

/** The merge methods that the rules allow. */
export const methodsLeft = (methods: readonly string[], rules: readonly BranchRule[]): string[] =>
  methods.filter((method) =>
    rules.every(({ type, parameters, applies_to }) => {
      if (applies_to === 'agents') return true
      if (type === 'linear_history') return method !== 'merge'
      return type !== 'pull_request' || (parameters.allowed_methods as string[]).includes(method)
    }),
  )

const ALERT_NAMES = texts({
  code: 'Code scanning alert',
  dependency: 'Vulnerable dependency',
  secret: 'Secret alert',
})

/** The alerts that a rule counts. Their pages decide who may read more and close them. */
const AlertLinks = ({ alerts }: { alerts: readonly StandingAlert[] }) => (
  <ul>
    {alerts.map(({ kind, id, severity, url }) => (
      <li>
        {url === null ? (
          `${ALERT_NAMES[kind]} ${id}`
        ) : (
          <a href={url} rel="nofollow">
            {ALERT_NAMES[kind]} {id}
          </a>
        )}
        {severity !== null && (
          <>
            {' '}
            <SeverityChip severity={severity} />
          </>
        )}
      </li>
    ))}
  </ul>
)

/** What blocks a merge, with links to the rules. */
export const BlockerLine = ({ blocker }: { blocker: Blocker }) => {
  const { url, ruleset_name, alerts } = blocker.details
  return (
    <li class="blocker">
      <Icon name="warning" /> {sentenceCase(translateMessage(blocker.message))}
      {typeof url === 'string' && typeof ruleset_name === 'string' && (
        <>
          {' '}
          (<a href={url.replace(/^https?:\/\/[^/]+/, '')}>{ruleset_name}</a>)
        </>
      )}
      {Array.isArray(alerts) && <AlertLinks alerts={alerts as readonly StandingAlert[]} />}
    </li>
  )
}

export const RulesLink = ({
  repo,
  base,
  rules,
}: {
  repo: string
  base: string
  rules: readonly BranchRule[]
}) =>
  rules.length === 0 ? null : (
    <p class="muted small">
      {rich('{rules} apply to {base}.', {
        rules: (
          <a href={branchRulesPath(repo, base)}>
            {tn('{count} rule', '{count} rules', rules.length)}
          </a>
        ),
        base,
      })}
    </p>
  )

const FROM_RULES = new Set([
  'rule',
  'merge_window',
  'statuses',
  'approvals_missing',
  'conversations_open',
])

/**
 * Whether only rules block the merge, which some users may bypass. The merge itself decides who.
 */
export const mayGoPast = (blockers: readonly Blocker[], rules: readonly BranchRule[]): boolean =>
  rules.length > 0 && blockers.length > 0 && blockers.every(({ code }) => FROM_RULES.has(code))
