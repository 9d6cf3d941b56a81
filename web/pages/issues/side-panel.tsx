// The side panel of an issue or pull request: labels, assignees and the like, with forms for those
// who may change them.
import type { Label as LabelRecord, Milestone } from '#features/issues/index.ts'
import type { Project } from '#features/workspaces/index.ts'
import {
  ActionButton,
  ActorLink,
  Button,
  Field,
  FieldPicker,
  Form,
  FormActions,
  labelOption,
  Labels,
  personOption,
  SideBlock,
  type ActorSummary,
  type PickerOption,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { issuePath, projectPath, repoPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { t } from '../../text.ts'

type Person = ActorSummary & { username: string }
type SidePanelContext = { visit: Visit; repo: string; here: string; mayEdit: boolean }
type Place = Pick<SidePanelContext, 'visit' | 'here'>

/** A form that unfolds, and is open after a refusal. */
const Change = ({
  visit,
  here,
  part,
  label,
  field,
  children,
}: Place & { part: string; label: string; field: string; children?: Child }) => {
  const at = visitForForm(visit, `${here}/${part}`)
  return (
    <details class="more" open={at.form.error !== null}>
      <summary>{t('Change')}</summary>
      <Form action={`${here}/${part}`} csrf={visit.csrf} label={label} error={formError(at, field)}>
        {children}
        <FormActions>
          <Button small>{t('Save')}</Button>
        </FormActions>
      </Form>
    </details>
  )
}

type PickProps = Place & {
  /** The last part of the form's address, and the name of its field. */
  part: string
  label: string
  options: readonly PickerOption[]
  chosen: readonly string[]
  single?: boolean
  empty?: string
  /** The field for values that are no options; without `always` it is shown after a refusal. */
  other?: { label: string; always?: boolean }
}

/** A picker with a form of its own, which is saved when the picker closes. */
const Pick = ({
  visit,
  here,
  part,
  label,
  options,
  chosen,
  single,
  empty,
  other = { label },
}: PickProps) => {
  const at = visitForForm(visit, `${here}/${part}`)
  const error = fieldError(at, part) ?? formError(at, part)
  const isChosen = new Set(error === null ? chosen : at.form.values.list(part, ','))
  const unlisted = [...isChosen].filter((value) => !options.some((one) => one.value === value))
  return (
    <Form action={`${here}/${part}`} csrf={visit.csrf} label={label} saveOnClose>
      <FieldPicker
        small
        name={part}
        label={label}
        summary={t('Change')}
        single={single}
        empty={empty}
        open={error !== null}
        options={options.map((option) => ({ ...option, chosen: isChosen.has(option.value ?? '') }))}
      >
        {error !== null && <p class="field-error">{error}</p>}
        {(other.always || unlisted.length > 0) && (
          <Field
            id={`side-new-${part}`}
            name={part}
            label={other.label}
            hint={t('Separated by commas.')}
            value={unlisted.join(', ')}
            unmarked
          />
        )}
        <Button small>{t('Save')}</Button>
      </FieldPicker>
    </Form>
  )
}

export const LabelsSide = ({
  names,
  known,
  list = '/issues',
  ...place
}: SidePanelContext & {
  names: readonly string[]
  known: readonly LabelRecord[]
  /** The list that a label leads to. */
  list?: '/issues' | '/pulls'
}) => {
  const { visit, repo, here, mayEdit } = place
  const byName = new Map(known.map((label) => [label.name, label]))
  const unlisted = names.filter((name) => !byName.has(name)).map((name) => ({ name }))
  return (
    <SideBlock title={t('Labels')}>
      {names.length === 0 ? (
        <p class="muted">{t('None')}</p>
      ) : (
        <Labels
          labels={names.map((name) => byName.get(name) ?? { name })}
          href={(name) => withQuery(repoPath(repo, list), { label: name })}
        />
      )}
      {mayEdit && (
        <Pick
          visit={visit}
          here={here}
          part="labels"
          label={t('Labels')}
          options={[...known, ...unlisted].map(labelOption)}
          chosen={names}
          empty={t('This repository has no labels.')}
          other={{ label: t('New labels'), always: true }}
        />
      )}
    </SideBlock>
  )
}

/** A list of people is cut at this length; others are typed. */
const LISTED_PEOPLE = 100

export const AssigneesSide = ({
  people,
  assignable,
  ...place
}: SidePanelContext & { people: readonly Person[]; assignable: readonly Person[] }) => {
  const { visit, here, mayEdit } = place
  const others = people.filter(
    ({ username }) => !assignable.some((person) => person.username === username),
  )
  return (
    <SideBlock title={t('Assignees')}>
      {people.length === 0 ? (
        <>
          <p class="muted">{t('No assignees')}</p>
          {mayEdit && visit.viewer && (
            <ActionButton
              action={`${here}/assignees`}
              csrf={visit.csrf}
              values={{ assignees: visit.viewer.username }}
            >
              <Button small>{t('Assign yourself')}</Button>
            </ActionButton>
          )}
        </>
      ) : (
        <ul class="bare-list">
          {people.map((person) => (
            <li>
              <ActorLink of={person} />
            </li>
          ))}
        </ul>
      )}
      {mayEdit && (
        <Pick
          visit={visit}
          here={here}
          part="assignees"
          label={t('Assignees')}
          options={[...others, ...assignable].map(personOption)}
          chosen={people.map(({ username }) => username)}
          other={{ label: t('Other usernames'), always: assignable.length >= LISTED_PEOPLE }}
        />
      )}
    </SideBlock>
  )
}

export const MilestoneSide = ({
  milestone,
  known,
  list = '/issues',
  ...place
}: SidePanelContext & {
  milestone: { id: string; title: string } | null
  known: readonly Milestone[]
  list?: '/issues' | '/pulls'
}) => {
  const { visit, repo, here, mayEdit } = place
  if (milestone === null && !mayEdit) return null
  const options =
    milestone !== null && !known.some(({ id }) => id === milestone.id)
      ? [milestone, ...known]
      : known
  return (
    <SideBlock title={t('Milestone')}>
      {milestone === null ? (
        <p class="muted">{t('No milestone')}</p>
      ) : (
        <p>
          <a href={withQuery(repoPath(repo, list), { milestone: milestone.id })}>
            {milestone.title}
          </a>
        </p>
      )}
      {mayEdit && options.length > 0 && (
        <Pick
          visit={visit}
          here={here}
          part="milestone"
          label={t('Milestone')}
          single
          options={[
            { value: '', label: t('No milestone') },
            ...options.map(({ id, title }) => ({ value: id, label: title })),
          ]}
          chosen={[milestone?.id ?? '']}
        />
      )}
    </SideBlock>
  )
}

/** The boards that show the issue. */
export const ProjectsSide = ({
  workspace,
  projects,
}: {
  workspace: string
  projects: readonly Project[]
}) =>
  projects.length === 0 ? null : (
    <SideBlock title={t('Projects')}>
      <ul class="bare-list">
        {projects.map(({ slug, name }) => (
          <li>
            <a dir="auto" href={projectPath(workspace, slug)}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </SideBlock>
  )

const typed = (
  visit: Visit,
  here: string,
  part: string,
  name: string,
  stored: string,
): { value: string; error: string | null } => {
  const at = visitForForm(visit, `${here}/${part}`)
  return {
    value: at.form.values.has(name) ? at.form.values.text(name) : stored,
    error: fieldError(at, name),
  }
}

export const BlockedBySide = ({
  numbers,
  ...place
}: SidePanelContext & { numbers: readonly number[] }) => {
  const { visit, repo, here, mayEdit } = place
  if (numbers.length === 0 && !mayEdit) return null
  return (
    <SideBlock title={t('Blocked by')}>
      {numbers.length === 0 ? (
        <p class="muted">{t('No issues')}</p>
      ) : (
        <ul class="bare-list">
          {numbers.map((number) => (
            <li>
              <a href={issuePath(repo, number)}>#{number}</a>
            </li>
          ))}
        </ul>
      )}
      {mayEdit && (
        <Change
          visit={visit}
          here={here}
          part="blocked-by"
          label={t('Blocked by')}
          field="blocked_by"
        >
          <Field
            id="side-blocked"
            name="blocked_by"
            label={t('Issues that must close first')}
            hideLabel
            hint={t('Numbers, separated by commas.')}
            inputmode="numeric"
            {...typed(visit, here, 'blocked-by', 'blocked_by', numbers.join(', '))}
          />
        </Change>
      )}
    </SideBlock>
  )
}
