// Summaries of rulesets and their results for lists.
import type { Ruleset, RuleEvaluation } from '#features/rulesets/index.ts'
import { Badge, Chip } from '../../components/index.ts'
import { describeRule } from './rule-types.ts'
import { localized, t, texts } from '../../text.ts'

const ENFORCEMENT = localized({
  active: ['good', 'Active'],
  evaluate: ['wait', 'Evaluate'],
  disabled: ['plain', 'Off'],
} as const)
const TARGET = texts({ branch: 'Branches', tag: 'Tags', push: 'All pushes' } as const)

export const EnforcementBadge = ({ of }: { of: Ruleset['enforcement'] }) => {
  const [tone, word] = ENFORCEMENT[of]
  return <Badge tone={tone}>{word}</Badge>
}

const NAMES: Readonly<Record<string, string>> = texts({
  '~DEFAULT_BRANCH': 'the default branch',
  '~ALL': 'all',
})
const named = (patterns: readonly string[]): string =>
  patterns.length === 0
    ? t('none')
    : patterns.map((pattern) => NAMES[pattern] ?? pattern).join(', ')

type Names = { readonly include: readonly string[]; readonly exclude: readonly string[] }

const matched = ({ include, exclude }: Names): string =>
  exclude.length === 0
    ? named(include)
    : t('{names}, except {excluded}', { names: named(include), excluded: named(exclude) })

const REPOSITORIES = texts({
  any: 'Repositories',
  public: 'Public repositories',
  private: 'Private repositories',
} as const)

/** The targets of a ruleset, in words. */
export function aboutText({
  target,
  conditions: { ref_name, repository },
}: Pick<Ruleset, 'target' | 'conditions'>): string {
  const parts = [`${TARGET[target]}: ${matched(ref_name)}`]
  if (repository) {
    parts.push(`${REPOSITORIES[repository.visibility]}: ${matched(repository)}`)
    const { topics } = repository
    if (topics.length > 0) parts.push(t('with a topic of {topics}', { topics: topics.join(', ') }))
  }
  return parts.join(' · ')
}

export const RuleLine = ({
  rule,
}: {
  rule: Pick<Ruleset['rules'][number], 'type' | 'parameters' | 'applies_to'>
}) => (
  <>
    {describeRule(rule)}
    {rule.applies_to === 'agents' && (
      <>
        {' '}
        <Chip icon="agent">{t('Agents')}</Chip>
      </>
    )}
  </>
)

const RESULT = localized({
  pass: ['good', 'Passed'],
  fail: ['bad', 'Refused'],
  bypass: ['wait', 'Bypassed'],
} as const)

export const ResultBadge = ({ of }: { of: Pick<RuleEvaluation, 'result' | 'enforced'> }) => {
  const [tone, word] = RESULT[of.result]
  return of.result === 'fail' && !of.enforced ? (
    <Badge tone="wait">{t('Would be refused')}</Badge>
  ) : (
    <Badge tone={tone}>{word}</Badge>
  )
}
