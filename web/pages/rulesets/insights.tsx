import { listRuleEvaluations, RESULTS, type RuleEvaluation } from '#features/rulesets/index.ts'
import {
  Breadcrumbs,
  EmptyState,
  FilterBar,
  LinkButton,
  List,
  PageHead,
  Pager,
  ActorLink,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { shortSha } from '../../format.ts'
import { commitPath, pullPath, repoPath, withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { RULE_TYPE_FORMS } from './rule-types.ts'
import { ResultBadge } from './summary.tsx'
import { BASE, loadRulesetOwner, rulesetsPath, type RulesetOwner } from './owner.tsx'
import { rich, t, texts } from '../../text.ts'

const WORDS = texts({ pass: 'Passed', fail: 'Refused', bypass: 'Bypassed' } as const)

/** Results of a retired type of rule are kept, so its name may be unknown. */
const titleOf = (rule: string): string =>
  Object.hasOwn(RULE_TYPE_FORMS, rule)
    ? RULE_TYPE_FORMS[rule as keyof typeof RULE_TYPE_FORMS].title
    : rule

const EvaluationRow = ({
  visit,
  one,
  owner,
}: {
  visit: Visit
  one: RuleEvaluation
  owner: RulesetOwner
}) => (
  <Row
    title={
      <span>
        {rich('{rule} of {ruleset_name}', {
          rule: titleOf(one.rule),
          ruleset_name: (
            <a href={rulesetsPath('repository', visit, `/${one.ruleset}`)}>{one.ruleset_name}</a>
          ),
        })}
      </span>
    }
    meta={
      <>
        <span class="mono">{one.ref.replace(/^refs\/(heads|tags)\//, '')}</span>
        {one.sha !== null && (
          <a class="mono" href={commitPath(owner.name, one.sha)}>
            {shortSha(one.sha)}
          </a>
        )}
        {one.pull !== null && <a href={pullPath(owner.name, one.pull)}>#{one.pull}</a>}
        <ActorLink of={one.actor} />
        <RelativeTime at={one.time} />
      </>
    }
    end={<ResultBadge of={one} />}
  >
    {one.message !== null && <p class="muted">{one.message}</p>}
  </Row>
)

const NoEvaluations = ({ here, isNarrowed }: { here: string; isNarrowed: boolean }) =>
  isNarrowed ? (
    <EmptyState
      icon="shield"
      title={t('No evaluations match')}
      actions={<LinkButton href={here}>{t('Clear filters')}</LinkButton>}
    />
  ) : (
    <EmptyState icon="shield" title={t('No evaluations yet')}>
      {t('Each evaluation of a rule for a push or a merge appears here.')}
    </EmptyState>
  )

export const insightsPage = page({
  path: `${BASE.repository}/insights`,
  load: async (visit) => {
    const owner = await loadRulesetOwner('repository', visit)
    if (!owner.maySeeInsights) return null
    const { searchParams } = visit.url
    const result = RESULTS.find((word) => word === searchParams.get('result'))
    const ruleset = searchParams.get('ruleset') ?? undefined
    const before = searchParams.get('before') ?? undefined
    return {
      owner,
      result,
      ruleset,
      before,
      list: await visit.call(listRuleEvaluations, {
        repo: owner.name,
        result,
        ruleset,
        before,
        per_page: 50,
      }),
    }
  },
  view: ({ owner, result, ruleset, before, list }, visit) => {
    const here = rulesetsPath('repository', visit, '/insights')
    return owner.frame(
      t('Rule insights'),
      <>
        <Breadcrumbs
          parts={[
            { label: t('Rulesets'), href: rulesetsPath('repository', visit) },
            { label: t('Insights') },
          ]}
        />
        <PageHead
          title={t('Insights')}
          lead={t('Results of the rules for every push and merge of the last 90 days.')}
        />
        <FilterBar
          label={t('Results')}
          filters={[
            { label: t('All'), href: withQuery(here, { ruleset }), current: result === undefined },
            ...RESULTS.map((word) => ({
              label: WORDS[word],
              href: withQuery(here, { ruleset, result: word }),
              current: result === word,
            })),
          ]}
        >
          {ruleset !== undefined && (
            <a href={withQuery(here, { result })}>{t('Of all rulesets')}</a>
          )}
        </FilterBar>
        {list.items.length === 0 ? (
          <NoEvaluations here={here} isNarrowed={Boolean(result ?? ruleset ?? before)} />
        ) : (
          <List label={t('Evaluations')}>
            {list.items.map((one) => (
              <EvaluationRow visit={visit} one={one} owner={owner} />
            ))}
          </List>
        )}
        <Pager
          newer={before ? withQuery(here, { ruleset, result }) : null}
          older={
            list.next === null ? null : withQuery(here, { ruleset, result, before: list.next })
          }
          label={t('Evaluations')}
        />
        <p class="muted small">
          {rich('<a>Activity</a> shows what happened in the repository.', {
            a: (inner) => <a href={repoPath(owner.name, '/activity')}>{inner}</a>,
          })}
        </p>
      </>,
    )
  },
})
