// The form of a new or existing ruleset.
import type { Ruleset } from '#features/rulesets/index.ts'
import { listTeams } from '#features/teams/index.ts'
import {
  Button,
  Card,
  Field,
  FieldSet,
  Form,
  FormActions,
  Radio,
  Select,
  TextArea,
} from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { fieldError } from '../shell.tsx'
import { RULE_GROUPS, RULE_TYPE_FORMS as KINDS_OF_RULES } from './rule-types.ts'
import type { Draft } from './presets.ts'
import { RuleFields } from './rule-fields.tsx'
import { bypassFrom, bypassRowOfError, rulesFrom, slotOfError, slotsOf } from './slots.ts'
import { localized, t } from '../../text.ts'

const ENFORCEMENTS = localized([
  { value: 'active', label: 'Active', hint: 'Violations are refused.' },
  {
    value: 'evaluate',
    label: 'Evaluate',
    hint: 'Nothing is refused; insights show what would have been.',
  },
  { value: 'disabled', label: 'Off' },
] as const)

const TARGETS = localized([
  { value: 'branch', label: 'Branches' },
  { value: 'tag', label: 'Tags' },
  {
    value: 'push',
    label: 'Everything that is pushed',
    hint: 'Branches and tags, and the forks of pull requests too.',
  },
] as const)

const KINDS = localized([
  { value: 'team', label: 'Team' },
  { value: 'user', label: 'Person' },
  { value: 'role', label: 'Role' },
  { value: 'workspace_token', label: 'Token' },
])
const MODES = localized([
  { value: 'always', label: 'always' },
  { value: 'pull_request', label: 'for pull requests only' },
])

const BypassRow = ({
  visit,
  at,
  kind,
  mode,
  names,
  value,
  wrong,
}: {
  visit: Visit
  at: number
  kind: string
  mode: string
  names: readonly string[]
  value: string
  wrong: number
}) => (
  <div class="bypass-row">
    <Select
      name="bypass_kind"
      id={`bypass-kind-${at}`}
      label={t('Kind')}
      hideLabel
      required
      options={KINDS}
      value={kind}
    />
    <Field
      name="bypass_value"
      id={`bypass-value-${at}`}
      label={t('Who')}
      hideLabel
      maxlength={200}
      value={value}
      suggestions={names}
      error={at === wrong ? (visit.form.error?.message ?? null) : null}
    />
    <Select
      name="bypass_mode"
      id={`bypass-mode-${at}`}
      label={t('When')}
      hideLabel
      required
      options={MODES}
      value={mode}
    />
  </div>
)

const Bypass = ({
  visit,
  stored,
  typed,
  names,
}: {
  visit: Visit
  stored: Ruleset['bypass_actors']
  typed: Fields | null
  names: readonly string[]
}) => {
  const rows = typed
    ? typed.all('bypass_value').map((value, at) => ({
        kind: typed.all('bypass_kind')[at] ?? 'team',
        value,
        mode: typed.all('bypass_mode')[at] ?? 'always',
      }))
    : [
        ...stored,
        { kind: 'team', value: '', mode: 'always' },
        { kind: 'user', value: '', mode: 'always' },
      ]
  const wrong = typed ? bypassRowOfError(visit.form.error?.field, typed) : -1
  return (
    <FieldSet
      legend={t('Bypass list')}
      hint={t(
        'Who may bypass these rules: a team (workspace/team), a person (username), a role (maintain, admin or owner) or a token of the workspace (its id). Agents never may. Empty rows are ignored.',
      )}
    >
      {rows.map(({ kind, value, mode }, at) => (
        <BypassRow
          visit={visit}
          at={at}
          kind={kind}
          mode={mode}
          names={names}
          value={value}
          wrong={wrong}
        />
      ))}
    </FieldSet>
  )
}

const lines = (patterns: readonly string[] | undefined): string => (patterns ?? []).join('\n')

/** The message of a refusal about any field with this prefix. */
const errorAt = (visit: Visit, prefix: string): string | null =>
  visit.form.error?.field?.startsWith(prefix) ? visit.form.error.message : null

const HANDLED = /^(name$|conditions\.|bypass_actors\[|rules\[)/

const RefConditions = ({
  visit,
  draft,
  ref_name,
  text,
}: {
  visit: Visit
  draft: Draft
  ref_name: Draft['conditions']['ref_name']
  text: (name: string, stored: string) => string
}) => (
  <Card title={t('Name and target')}>
    <Field
      name="name"
      label={t('Name')}
      required
      maxlength={100}
      value={text('name', draft.name)}
      error={fieldError(visit, 'name')}
    />
    <FieldSet legend={t('Enforcement')}>
      {ENFORCEMENTS.map((one) => (
        <Radio
          name="enforcement"
          {...one}
          checked={text('enforcement', draft.enforcement) === one.value}
        />
      ))}
    </FieldSet>
    <FieldSet legend={t('Target')}>
      {TARGETS.map((one) => (
        <Radio name="target" {...one} checked={text('target', draft.target) === one.value} />
      ))}
    </FieldSet>
    <TextArea
      name="include"
      label={t('Names')}
      mono
      rows={2}
      value={text('include', lines(ref_name.include))}
      error={errorAt(visit, 'conditions.ref_name.include')}
      hint={t(
        'One glob a line, such as release/**. ~DEFAULT_BRANCH is the default branch, ~ALL matches every name. Left empty, nothing matches.',
      )}
    />
    <TextArea
      name="exclude"
      label={t('Except')}
      mono
      rows={2}
      value={text('exclude', lines(ref_name.exclude))}
      error={errorAt(visit, 'conditions.ref_name.exclude')}
    />
  </Card>
)

const RepositoryConditions = ({
  visit,
  repository,
  text,
}: {
  visit: Visit
  repository: NonNullable<Draft['conditions']['repository']>
  text: (name: string, stored: string) => string
}) => (
  <Card title={t('Repositories')}>
    <TextArea
      name="repos_include"
      label={t('Names')}
      mono
      rows={2}
      value={text('repos_include', lines(repository.include))}
      error={errorAt(visit, 'conditions.repository.include')}
      hint={t('One glob a line, or ~ALL.')}
    />
    <TextArea
      name="repos_exclude"
      label={t('Except')}
      mono
      rows={2}
      value={text('repos_exclude', lines(repository.exclude))}
      error={errorAt(visit, 'conditions.repository.exclude')}
    />
    <Select
      name="visibility"
      label={t('Visibility')}
      required
      value={text('visibility', repository.visibility)}
      options={[
        { value: 'any', label: t('Public and private') },
        { value: 'public', label: t('Public only') },
        { value: 'private', label: t('Private only') },
      ]}
    />
    <Field
      name="topics"
      label={t('With any of these topics')}
      value={text('topics', repository.topics.join(' '))}
      hint={t('Separated by spaces. Left empty, whatever their topics.')}
    />
  </Card>
)

export const RulesetForm = ({
  visit,
  draft,
  action,
  button,
  names,
}: {
  visit: Visit
  draft: Draft
  action: string
  button: string
  names: readonly string[]
}) => {
  const typed = visit.form.values.has('enforcement') ? visit.form.values : null
  const text = (name: string, stored: string): string => (typed ? typed.text(name) : stored)
  const { ref_name, repository } = draft.conditions
  const error = visit.form.error
  const wrong = typed && slotOfError(error?.field, typed)
  const general =
    error !== null &&
    (error.field === null ||
      !HANDLED.test(error.field) ||
      (error.field.startsWith('rules[') && !wrong))
      ? error.message
      : null
  // The form is long: what is wrong further down is said at its head as well.
  const below = wrong && error ? `${KINDS_OF_RULES[wrong.type].title}: ${error.message}` : null
  return (
    <Form action={action} csrf={visit.csrf} error={general ?? below}>
      <RefConditions visit={visit} draft={draft} ref_name={ref_name} text={text} />
      {repository && <RepositoryConditions visit={visit} repository={repository} text={text} />}
      <Card title={t('Bypass')}>
        <Bypass visit={visit} stored={draft.bypass_actors} typed={typed} names={names} />
      </Card>
      {RULE_GROUPS.map(({ title, types }) => (
        <Card title={title}>
          {types.flatMap((type) =>
            slotsOf(type, draft.rules, visit.form.values).map((slot) => (
              <RuleFields
                slot={slot}
                typed={typed}
                error={
                  wrong?.key === slot.key
                    ? { parameter: wrong.parameter, message: error?.message ?? '' }
                    : null
                }
              />
            )),
          )}
        </Card>
      ))}
      <FormActions>
        <Button variant="primary">{button}</Button>
      </FormActions>
    </Form>
  )
}

/** Names to complete from: the teams that the visitor sees. */
export const namesFor = async (visit: Visit): Promise<string[]> => {
  const workspace = visit.params.workspace ?? ''
  const teams = await visit.tryCall(listTeams, { workspace, per_page: 100 })
  return [
    ...(teams?.items ?? [])
      .filter(({ visibility }) => visibility === 'visible')
      .map(({ slug }) => `${workspace}/${slug}`),
    'maintain',
    'admin',
    'owner',
  ]
}

const wordOf = <const T extends readonly { readonly value: string }[]>(
  words: T,
  text: string,
): T[number]['value'] | undefined => words.find(({ value }) => value === text)?.value

/** The input of the operations from the fields of the form. */
export const inputFrom = (fields: Fields) => ({
  name: fields.text('name'),
  enforcement: wordOf(ENFORCEMENTS, fields.text('enforcement')),
  target: wordOf(TARGETS, fields.text('target')),
  conditions: {
    ref_name: { include: fields.list('include'), exclude: fields.list('exclude') },
    ...(fields.has('visibility')
      ? {
          repository: {
            include: fields.list('repos_include'),
            exclude: fields.list('repos_exclude'),
            topics: fields.list('topics', /[\s,]+/),
            visibility: (['any', 'public', 'private'] as const).find(
              (word) => word === fields.text('visibility'),
            ),
          },
        }
      : {}),
  },
  bypass_actors: bypassFrom(fields),
  rules: rulesFrom(fields),
})
