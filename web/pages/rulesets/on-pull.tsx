// The rules on the page of a pull request.
import { listBranchRules, type BranchRule } from '#features/rulesets/index.ts'
import type { Pull } from '#features/pulls/index.ts'
import { Icon } from '../../components/index.ts'
import { sentenceCase } from '../../format.ts'
import { translateMessage } from '../../messages.ts'
import type { Visit } from '../../site.ts'
import { branchRulesPath } from './branch.tsx'
import { rich, tn } from '../../text.ts'

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

/** What blocks a merge, with links to the rules. */
export const BlockerLine = ({ blocker }: { blocker: Blocker }) => {
  const { url, ruleset_name } = blocker.details
  return (
    <li>
      <Icon name="warning" /> {sentenceCase(translateMessage(blocker.message))}
      {typeof url === 'string' && typeof ruleset_name === 'string' && (
        <>
          {' '}
          (<a href={url.replace(/^https?:\/\/[^/]+/, '')}>{ruleset_name}</a>)
        </>
      )}
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
