// The side panel of an issue or pull request: labels, assignees and the like, with forms for those
// who may change them.
import type { Milestone } from '#features/issues/index.ts'
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
  labelsOfRows,
  Labels,
  personOption,
  SideBlock,
  withChosen,
  type ActorSummary,
  type LabelSummary,
  type PickerOption,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { issuePath, projectPath, repoPath, textPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import type { Choices } from '../choices.ts'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { chosenMilestone, milestoneOptions } from './pick-block.tsx'
import { MAX_CHIPS_BYTES, MAX_COLOURED_LABELS, type LabelChoices } from './side-load.ts'
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
  choices: Choices<unknown>
  options: readonly PickerOption[]
  chosen: readonly string[]
  /** The option of a chosen value that is not listed. Other values are typed. */
  optionOf: (value: string) => PickerOption | null
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
  choices,
  chosen,
  optionOf,
  single,
  empty,
  other = { label },
  ...list
}: PickProps) => {
  const at = visitForForm(visit, `${here}/${part}`)
  const error = fieldError(at, part) ?? formError(at, part)
  const { values } = at.form
  const typed = single ? [values.text(part)] : values.list(part, ',')
  const isChosen = new Set(values.has(part) ? typed : chosen)
  const options = withChosen(
    list.options,
    [...isChosen].flatMap((value) => optionOf(value) ?? []),
    choices,
  )
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
        search={choices}
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
  labels,
  list = '/issues',
  ...place
}: SidePanelContext & {
  names: readonly string[]
  labels: LabelChoices
  /** The list that a label leads to. */
  list?: '/issues' | '/pulls'
}) => {
  const { visit, repo, here, mayEdit } = place
  const { known } = labels
  const [shown = { labels: [], more: 0 }] = labelsOfRows([names], known, MAX_CHIPS_BYTES)
  const optionOf = (label: LabelSummary): PickerOption =>
    known.size > MAX_COLOURED_LABELS ? { value: label.name, label: label.name } : labelOption(label)
  return (
    <SideBlock title={t('Labels')}>
      {names.length === 0 ? (
        <p class="muted">{t('None')}</p>
      ) : (
        <Labels
          {...shown}
          moreHref={textPath(here, 'labels')}
          href={(name) => withQuery(repoPath(repo, list), { label: name })}
        />
      )}
      {mayEdit && (
        <Pick
          visit={visit}
          here={here}
          part="labels"
          label={t('Labels')}
          choices={labels}
          options={labels.items.map(optionOf)}
          optionOf={(name) => {
            const label = known.get(name) ?? (names.includes(name) ? { name } : null)
            return label && optionOf(label)
          }}
          chosen={names}
          empty={t('This repository has no labels.')}
          other={{ label: t('New labels'), always: true }}
        />
      )}
    </SideBlock>
  )
}

export const AssigneesSide = ({
  people,
  assignable,
  ...place
}: SidePanelContext & { people: readonly Person[]; assignable: Choices<Person> }) => {
  const { visit, here, mayEdit } = place
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
          choices={assignable}
          options={assignable.items.map(personOption)}
          optionOf={(username) => {
            const person = people.find((one) => one.username === username)
            return person || assignable.q !== null ? personOption(person ?? { username }) : null
          }}
          chosen={people.map(({ username }) => username)}
          other={{ label: t('Other usernames') }}
        />
      )}
    </SideBlock>
  )
}

export const MilestoneSide = ({
  milestone,
  milestones,
  list = '/issues',
  ...place
}: SidePanelContext & {
  milestone: { id: string; title: string } | null
  milestones: Choices<Milestone>
  list?: '/issues' | '/pulls'
}) => {
  const { visit, repo, here, mayEdit } = place
  if (milestone === null && !mayEdit) return null
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
      {mayEdit && (milestones.items.length > 0 || milestones.q !== null || milestone !== null) && (
        <Pick
          visit={visit}
          here={here}
          part="milestone"
          label={t('Milestone')}
          single
          choices={milestones}
          options={milestoneOptions(milestones, milestone)}
          optionOf={(title) => chosenMilestone(title, milestone, milestones)}
          chosen={[milestone?.title ?? '']}
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
