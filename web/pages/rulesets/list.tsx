import { listRulesets, type Ruleset } from '#features/rulesets/index.ts'
import {
  beginningOfText,
  EmptyState,
  LinkButton,
  List,
  PageHead,
  Row,
} from '../../components/index.ts'
import { workspacePath } from '../../paths.ts'
import { page, type Page, type Visit } from '../../site.ts'
import { loadPage, RowSteps } from '../row-form.tsx'
import { aboutText, EnforcementBadge } from './summary.tsx'
import {
  BASE,
  loadRulesetOwner,
  rulesetPath,
  rulesetsPath,
  targetOf,
  type OwnerLevel,
  type RulesetOwner,
} from './owner.tsx'
import { t, tn } from '../../text.ts'

/** What a row shows of the refs and repositories that a ruleset is about. */
const MAX_ABOUT_BYTES = 400

function shortAbout(ruleset: Ruleset): string {
  const text = aboutText(ruleset)
  const beginning = beginningOfText(text, MAX_ABOUT_BYTES)
  return beginning.length < text.length ? `${beginning} …` : text
}

const RulesetRow = ({ ruleset, href }: { ruleset: Ruleset; href: string }) => (
  <Row
    title={
      <a class="row-link" href={href}>
        {ruleset.name}
      </a>
    }
    meta={
      <>
        <span>{tn('{count} rule', '{count} rules', ruleset.rules.length)}</span>
        <span>{shortAbout(ruleset)}</span>
      </>
    }
    end={<EnforcementBadge of={ruleset.enforcement} />}
  />
)

/** The rulesets of the workspace, for its members, which the page of a repository lists as well. */
const above = async (level: OwnerLevel, visit: Visit): Promise<readonly Ruleset[]> =>
  level === 'workspace'
    ? []
    : ((
        await visit.tryCall(listRulesets, {
          workspace: visit.params.workspace ?? '',
          per_page: 100,
        })
      )?.items ?? [])

const ListActions = ({ here, owner }: { here: string; owner: RulesetOwner }) => (
  <>
    {owner.maySeeInsights && (
      <LinkButton href={`${here}/insights`} icon="history">
        {t('Insights')}
      </LinkButton>
    )}
    {owner.mayEdit && (
      <LinkButton href={`${here}/new`} variant="primary" icon="plus">
        {t('New ruleset')}
      </LinkButton>
    )}
  </>
)

const NoRulesets = () => (
  <EmptyState icon="shield" title={t('No rulesets yet')}>
    {t(
      'A ruleset can require approvals and checks, allow merging at certain times only, protect paths, limit file sizes and be stricter for agents than for people.',
    )}
  </EmptyState>
)

export const listPage = (level: OwnerLevel): Page =>
  page({
    path: BASE[level],
    load: async (visit) => {
      const owner = await loadRulesetOwner(level, visit)
      return {
        owner,
        own: await loadPage(visit, (page) =>
          visit.call(listRulesets, { ...targetOf(level, visit), page }),
        ),
        others: await above(level, visit),
      }
    },
    view: ({ owner, own, others }, visit) => {
      const here = rulesetsPath(level, visit)
      return owner.frame(
        t('Rulesets'),
        <>
          <PageHead
            title={t('Rulesets')}
            lead={
              level === 'repository'
                ? t('What may be pushed here and merged, by people and by agents.')
                : t('What may be pushed and merged in the repositories of {name}.', {
                    name: owner.name,
                  })
            }
            actions={<ListActions here={here} owner={owner} />}
          />
          {own.items.length === 0 ? (
            <NoRulesets />
          ) : (
            <List label={t('Rulesets')}>
              {own.items.map((ruleset) => (
                <RulesetRow ruleset={ruleset} href={rulesetPath(level, visit, ruleset.id)} />
              ))}
            </List>
          )}
          <RowSteps list={own} here={here} label={t('Rulesets')} />
          {others.length > 0 && (
            <List label={t('Rulesets of the workspace')} head={<h2>{t('Of the workspace')}</h2>}>
              {others.map((ruleset) => (
                <RulesetRow
                  ruleset={ruleset}
                  href={workspacePath(ruleset.workspace, `rulesets/${ruleset.id}`)}
                />
              ))}
            </List>
          )}
        </>,
      )
    },
  })
