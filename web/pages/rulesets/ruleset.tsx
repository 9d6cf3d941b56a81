import {
  createRuleset,
  deleteRuleset,
  getRuleset,
  updateRuleset,
  type Ruleset,
} from '#features/rulesets/index.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  Card,
  Facts,
  FormActions,
  LinkButton,
  List,
  PageHead,
  ActorLink,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import {
  action,
  redirectWithFlash,
  form,
  page,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { inputFrom, namesFor, RulesetForm } from './form.tsx'
import { aboutText, EnforcementBadge, RuleLine } from './summary.tsx'
import { draftOf, PRESETS } from './presets.ts'
import {
  BASE,
  loadRulesetOwner,
  rulesetPath,
  rulesetsPath,
  targetOf,
  type OwnerLevel,
} from './owner.tsx'
import { rich, t } from '../../text.ts'

const Summary = ({ ruleset }: { ruleset: Ruleset }) => (
  <>
    <Facts
      facts={[
        { label: t('Target'), value: aboutText(ruleset) },
        {
          label: t('Can bypass'),
          value:
            ruleset.bypass_actors.length === 0
              ? t('Nobody')
              : ruleset.bypass_actors
                  .map(
                    ({ kind, value, mode }) =>
                      `${kind === 'role' ? t('role {role}', { role: value }) : value}${mode === 'always' ? '' : ` (${t('for pull requests only')})`}`,
                  )
                  .join(', '),
        },
        {
          label: t('Changed'),
          value: (
            <>
              {rich('{time} by {actor}', {
                time: <RelativeTime at={ruleset.updated_at} />,
                actor: <ActorLink of={ruleset.updated_by} />,
              })}
            </>
          ),
        },
      ]}
    />
    <List label={t('Rules')} head={<h2>{t('Rules')}</h2>}>
      {ruleset.rules.length === 0 ? (
        <Row title={t('None yet')} />
      ) : (
        ruleset.rules.map((rule) => <Row title={<RuleLine rule={rule} />} />)
      )}
    </List>
  </>
)

const Presets = ({ here, current }: { here: string; current: string | null }) => (
  <Card title={t('Start with')}>
    <ul class="preset-list">
      {PRESETS.map(({ key, title, what }) => (
        <li>
          <a
            href={withQuery(here, { preset: key })}
            aria-current={current === key ? 'true' : undefined}
          >
            {title}
          </a>
          <span class="muted small"> {what}</span>
        </li>
      ))}
    </ul>
  </Card>
)

/** The input that names the ruleset of an address. */
const rulesetTarget = (level: OwnerLevel, visit: Visit) => ({
  ...targetOf(level, visit),
  id: visit.params.id ?? '',
})

const newRulesetPage = (level: OwnerLevel) =>
  page({
    path: `${BASE[level]}/new`,
    load: async (visit) => {
      const owner = await loadRulesetOwner(level, visit)
      return owner.mayEdit ? { owner, names: await namesFor(visit) } : null
    },
    view: ({ owner, names }, visit) => {
      const here = rulesetsPath(level, visit, '/new')
      const preset = visit.url.searchParams.get('preset')
      return owner.frame(
        t('New ruleset'),
        <>
          <Breadcrumbs
            parts={[
              { label: t('Rulesets'), href: rulesetsPath(level, visit) },
              { label: t('New') },
            ]}
          />
          <PageHead
            title={t('New ruleset')}
            lead={t(
              'It applies as soon as it is created. To see first what it would refuse, set enforcement to Evaluate.',
            )}
          />
          <Presets here={here} current={preset} />
          <RulesetForm
            visit={visit}
            draft={draftOf(preset, level === 'workspace')}
            action={here}
            button={t('Create ruleset')}
            names={names}
          />
        </>,
      )
    },
  })

const newRulesetForm = (level: OwnerLevel, shown: Page) =>
  form({
    path: `${BASE[level]}/new`,
    page: shown,
    operation: createRuleset,
    input: (fields, visit) => ({ ...targetOf(level, visit), ...inputFrom(fields) }),
    done: (made, visit) =>
      redirectWithFlash(visit, rulesetPath(level, visit, made.id), 'ruleset-made'),
  })

const RulesetEditing = ({
  visit,
  ruleset,
  here,
  names,
}: {
  visit: Visit
  ruleset: Ruleset
  here: string
  names: readonly string[]
}) => (
  <>
    <PageHead title={t('Edit ruleset')} level={2} />
    <RulesetForm visit={visit} draft={ruleset} action={here} button={t('Save')} names={names} />
    <Card title={t('Delete')} tone="bad">
      <p>{t('Its rules stop applying at once. Their results stay in the insights.')}</p>
      <FormActions>
        <ActionButton action={`${here}/delete`} csrf={visit.csrf}>
          <Button variant="danger" icon="trash">
            {t('Delete ruleset')}
          </Button>
        </ActionButton>
      </FormActions>
    </Card>
  </>
)

const rulesetPage = (level: OwnerLevel) =>
  page({
    path: `${BASE[level]}/:id`,
    load: async (visit) => {
      const owner = await loadRulesetOwner(level, visit)
      return {
        owner,
        ruleset: await visit.call(getRuleset, rulesetTarget(level, visit)),
        names: owner.mayEdit ? await namesFor(visit) : [],
      }
    },
    view: ({ owner, ruleset, names }, visit) => {
      const here = rulesetPath(level, visit, ruleset.id)
      return owner.frame(
        ruleset.name,
        <>
          <Breadcrumbs
            parts={[
              { label: t('Rulesets'), href: rulesetsPath(level, visit) },
              { label: ruleset.name },
            ]}
          />
          <PageHead
            title={ruleset.name}
            lead={<EnforcementBadge of={ruleset.enforcement} />}
            actions={
              owner.maySeeInsights ? (
                <LinkButton
                  href={withQuery(rulesetsPath(level, visit, '/insights'), { ruleset: ruleset.id })}
                  icon="history"
                >
                  {t('Insights')}
                </LinkButton>
              ) : undefined
            }
          />
          <Summary ruleset={ruleset} />
          {owner.mayEdit && (
            <RulesetEditing visit={visit} ruleset={ruleset} here={here} names={names} />
          )}
        </>,
      )
    },
  })

const editRulesetForm = (level: OwnerLevel, shown: Page) =>
  form({
    path: `${BASE[level]}/:id`,
    page: shown,
    operation: updateRuleset,
    input: (fields, visit) => ({ ...rulesetTarget(level, visit), ...inputFrom(fields) }),
    done: (ruleset, visit) =>
      redirectWithFlash(visit, rulesetPath(level, visit, ruleset.id), 'saved'),
  })

const deleteRulesetForm = (level: OwnerLevel, shown: Page) =>
  action({
    path: `${BASE[level]}/:id/delete`,
    page: shown,
    submit: async (visit) => {
      await visit.call(deleteRuleset, rulesetTarget(level, visit))
      return redirectWithFlash(visit, rulesetsPath(level, visit), 'ruleset-deleted')
    },
  })

export function rulesetPages(level: OwnerLevel): {
  pages: readonly Page[]
  forms: readonly SiteForm[]
} {
  const creation = newRulesetPage(level)
  const ruleset = rulesetPage(level)
  return {
    pages: [creation, ruleset],
    forms: [
      newRulesetForm(level, creation),
      editRulesetForm(level, ruleset),
      deleteRulesetForm(level, ruleset),
    ],
  }
}
