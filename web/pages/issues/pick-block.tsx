// The blocks of the side panel of a form for an issue or a pull request: a picker for each field.
import type { Milestone } from '#features/issues/index.ts'
import {
  beginningOfText,
  Field,
  FieldPicker,
  labelOption,
  personOption,
  SideBlock,
  withChosen,
  type ActorSummary,
  type PickerOption,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import type { Visit } from '../../site.ts'
import type { Choices } from '../choices.ts'
import { fieldError } from '../shell.tsx'
import type { LabelChoices } from './side-load.ts'
import { t } from '../../text.ts'

type PickBlockProps = {
  visit: Visit
  name: string
  title: string
  none: string
  choices: Choices<unknown>
  options: readonly PickerOption[]
  chosen: readonly string[]
  /** An option for a chosen value that is not among them. */
  optionOf: (value: string) => PickerOption | null
  single?: boolean
  /** A field before the picker. */
  before?: Child
  children?: Child
}

/** What an option shows of a title. */
const MAX_TITLE_BYTES = 120

/** The value is the title, which names a milestone that is not among the listed ones too. */
const milestoneOption = ({ title }: Pick<Milestone, 'title'>): PickerOption => ({
  value: title,
  label: beginningOfText(title, MAX_TITLE_BYTES),
})

/** Whoever searches for a milestone does not want none. */
export const milestoneOptions = (
  { items, q }: Choices<Milestone>,
  stored: Pick<Milestone, 'title'> | null,
): PickerOption[] =>
  q !== null || (items.length === 0 && stored === null)
    ? items.map(milestoneOption)
    : [{ value: '', label: t('No milestone') }, ...items.map(milestoneOption)]

/** The option of a milestone that was chosen, unless the list has all that there are. */
export const chosenMilestone = (
  title: string,
  stored: Pick<Milestone, 'title'> | null,
  choices: Choices<Milestone>,
): PickerOption | null =>
  title !== '' && (title === stored?.title || isPartial(choices))
    ? milestoneOption({ title })
    : null

/** Whether there may be others than the listed ones. */
const isPartial = ({ hasMore, q }: Choices<unknown>): boolean => hasMore || q !== null

/** What is typed, else what is stored. */
const chosenOf = ({ visit, name, chosen, single }: PickBlockProps): readonly string[] => {
  const { values } = visit.form
  if (!values.has(name)) return chosen
  return single ? [values.text(name)] : values.list(name, ',')
}

/** A picker in a block; what is chosen is shown below it by the script. */
const PickBlock = (props: PickBlockProps) => {
  const { visit, name } = props
  const isChosen = new Set(chosenOf(props))
  const error = fieldError(visit, name)
  const options = withChosen(
    props.options,
    [...isChosen].flatMap((value) => props.optionOf(value) ?? []),
    props.choices,
  ).map((option) => ({ ...option, chosen: isChosen.has(option.value ?? '') }))
  const shown = options.filter(({ chosen, value }) => chosen && value !== '')
  return (
    <SideBlock title={props.title}>
      {props.before}
      <FieldPicker
        small
        name={name}
        label={props.title}
        summary={t('Choose')}
        single={props.single}
        options={options}
        search={props.choices}
        open={error !== null}
        empty={props.none}
      >
        {props.children}
      </FieldPicker>
      {error !== null && <p class="field-error">{error}</p>}
      <p class="picker-chosen" data-picker-chosen aria-live="polite">
        {shown.map((option) => (
          <span>
            {option.mark} {option.shown ?? option.label}
          </span>
        ))}
      </p>
    </SideBlock>
  )
}

type FormBlock = { visit: Visit; chosen: readonly string[] }

/** `mayCreate` adds a field for labels that do not exist yet. */
export const LabelsBlock = ({
  visit,
  labels,
  chosen,
  mayCreate,
}: FormBlock & { labels: LabelChoices; mayCreate: boolean }) => {
  const typed = visit.form.values.has('labels') ? visit.form.values.list('labels', ',') : chosen
  const unknown = typed.filter((name) => !labels.known.has(name))
  return (
    <PickBlock
      visit={visit}
      name="labels"
      title={t('Labels')}
      none={t('This repository has no labels.')}
      choices={labels}
      options={labels.items.map(labelOption)}
      optionOf={(name) => {
        const label = labels.known.get(name)
        return label ? labelOption(label) : null
      }}
      chosen={chosen}
      // The first field of this name can be filled in, by scripts of others too.
      before={
        mayCreate && (
          <Field
            id="new-labels"
            name="labels"
            label={t('New labels')}
            hint={t('Separated by commas.')}
            value={unknown.join(', ')}
            unmarked
          />
        )
      }
    />
  )
}

export const AssigneesBlock = ({
  visit,
  people,
  chosen,
  stored = [],
}: FormBlock & {
  people: Choices<ActorSummary>
  /** The present assignees. */
  stored?: readonly ActorSummary[]
}) => (
  <PickBlock
    visit={visit}
    name="assignees"
    title={t('Assignees')}
    none={t('No people have access.')}
    choices={people}
    options={people.items.map(personOption)}
    optionOf={(username) => {
      const person = stored.find((one) => one.username === username)
      // A template may name people who have left.
      return person || isPartial(people) ? personOption(person ?? { username }) : null
    }}
    chosen={chosen}
  />
)

export const MilestoneBlock = ({
  visit,
  milestones,
  stored = null,
}: Pick<FormBlock, 'visit'> & {
  milestones: Choices<Milestone>
  /** The present milestone. */
  stored?: Pick<Milestone, 'title'> | null
}) => (
  <PickBlock
    visit={visit}
    name="milestone"
    title={t('Milestone')}
    none={t('This repository has no open milestones.')}
    single
    choices={milestones}
    options={milestoneOptions(milestones, stored)}
    optionOf={(title) => chosenMilestone(title, stored, milestones)}
    chosen={[stored?.title ?? '']}
  />
)
