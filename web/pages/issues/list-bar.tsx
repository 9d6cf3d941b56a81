// What is above a list of issues or pull requests: the search box, the states with their counts,
// and menus that change the text of the box.
import {
  Button,
  FilterBar,
  Form,
  labelOption,
  LinkPicker,
  personOption,
  withChosen,
  type ActorSummary,
  type IconName,
  type LabelSummary,
  type PickerOption,
  type PickerSearch,
} from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import type { Choices } from '../choices.ts'
import { filterText, type ListFilter, type ListState } from './list-filter.ts'
import type { IssueChoices, LabelChoices } from './side-load.ts'
import { localized, t } from '../../text.ts'

export type StateTab = {
  state: ListState
  label: string
  icon?: IconName
  /** Undefined when there are more than are counted. */
  count?: number | null
}

/** The menus of one list beside those that both have. */
export type OwnMenu = {
  label: string
  options: (address: (change: Partial<ListFilter>) => string) => readonly PickerOption[]
}

type Props = {
  what: 'issues' | 'pull requests'
  here: string
  filter: ListFilter
  tabs: readonly StateTab[]
  labels: LabelChoices
  authors: Choices<ActorSummary>
  menus?: readonly OwnMenu[]
} & IssueChoices

const SORTINGS = localized([
  ['created', 'desc', 'Newest'],
  ['created', 'asc', 'Oldest'],
  ['updated', 'desc', 'Recently updated'],
  ['updated', 'asc', 'Least recently updated'],
  ['comments', 'desc', 'Most commented'],
  ['comments', 'asc', 'Least commented'],
] as const)

/** The address of the list with a changed filter, on its first page. */
export const listAddress =
  (here: string, filter: ListFilter) =>
  (change: Partial<ListFilter>): string =>
    withQuery(here, { q: filterText({ ...filter, ...change }) })

type Address = ReturnType<typeof listAddress>

const without = (filter: ListFilter, lack: ListFilter['without'][number]) =>
  filter.without.filter((one) => one !== lack)

/** The option of no value comes first, but not among what was searched for. */
const withNone = (none: PickerOption, options: readonly PickerOption[], { q }: PickerSearch) =>
  q === null ? [none, ...options] : options

function labelOptions({ filter, labels }: Props, at: Address): readonly PickerOption[] {
  const lacks = filter.without.includes('label')
  const none: PickerOption = {
    label: t('No label'),
    href: at({
      labels: [],
      without: lacks ? without(filter, 'label') : [...filter.without, 'label'],
    }),
    chosen: lacks,
  }
  const wanted = new Set(filter.labels.map((name) => name.toLowerCase()))
  const isWanted = ({ name }: { name: string }): boolean => wanted.has(name.toLowerCase())
  const optionOf = (label: LabelSummary): PickerOption => {
    const others = filter.labels.filter((name) => name.toLowerCase() !== label.name.toLowerCase())
    return {
      ...labelOption(label),
      chosen: isWanted(label),
      href: at({
        labels: isWanted(label) ? others : [...others, label.name],
        without: without(filter, 'label'),
      }),
    }
  }
  const chosen = [...labels.known.values()].filter(isWanted)
  return withNone(
    none,
    withChosen(labels.items.map(optionOf), chosen.map(optionOf), labels),
    labels,
  )
}

/** The people of a menu, with the chosen one, who may be none of them. */
function peopleOptions(
  { filter }: Props,
  field: 'author' | 'assignee',
  people: Choices<ActorSummary>,
  at: Address,
): readonly PickerOption[] {
  const chosen = filter[field]
  const optionOf = (person: ActorSummary): PickerOption => ({
    ...personOption(person),
    chosen: person.username === chosen,
    href: at({
      [field]: person.username === chosen ? undefined : person.username,
      ...(field === 'assignee' ? { without: without(filter, 'assignee') } : {}),
    }),
  })
  const other = chosen === undefined || chosen === '@me' ? [] : [optionOf({ username: chosen })]
  return withChosen(people.items.map(optionOf), other, people)
}

function assigneeOptions(props: Props, at: Address): readonly PickerOption[] {
  const { filter, people } = props
  const lacks = filter.without.includes('assignee')
  return withNone(
    {
      label: t('Nobody assigned'),
      chosen: lacks,
      href: at({
        assignee: undefined,
        without: lacks ? without(filter, 'assignee') : [...filter.without, 'assignee'],
      }),
    },
    peopleOptions(props, 'assignee', people, at),
    people,
  )
}

function milestoneOptions({ filter, milestones }: Props, at: Address): readonly PickerOption[] {
  const lacks = filter.without.includes('milestone')
  const { items } = milestones
  const optionOf = (title: string, chosen: boolean): PickerOption => ({
    value: title,
    label: title,
    chosen,
    href: at({ milestone: chosen ? undefined : title, without: without(filter, 'milestone') }),
  })
  const wanted = items.find(({ id }) => id === filter.milestone)?.title ?? filter.milestone
  return withNone(
    {
      label: t('No milestone'),
      chosen: lacks,
      href: at({
        milestone: undefined,
        without: lacks ? without(filter, 'milestone') : [...filter.without, 'milestone'],
      }),
    },
    withChosen(
      items.map(({ title }) => optionOf(title, title === wanted)),
      wanted === undefined ? [] : [optionOf(wanted, true)],
      milestones,
    ),
    milestones,
  )
}

const Menus = (props: Props) => {
  const { filter, menus = [], here, labels, authors, milestones, people } = props
  const at = listAddress(here, filter)
  const shared: readonly [string, readonly PickerOption[], PickerSearch?][] = [
    [t('Author'), peopleOptions(props, 'author', authors, at), authors],
    [t('Label'), labelOptions(props, at), labels],
    [t('Milestone'), milestoneOptions(props, at), milestones],
    [t('Assignee'), assigneeOptions(props, at), people],
    ...menus.map(({ label, options }): [string, readonly PickerOption[]] => [label, options(at)]),
    [
      t('Sort'),
      SORTINGS.map(([sort, direction, label]) => ({
        label,
        chosen: filter.sort === sort && filter.direction === direction,
        href: at({ sort, direction }),
      })),
    ],
  ]
  const linkForm = { action: here, fields: { q: filterText(filter) } }
  return (
    <div class="list-menus">
      {shared.map(([label, options, search]) => (
        <LinkPicker label={label} options={options} search={search} linkForm={linkForm} small />
      ))}
    </div>
  )
}

const SearchBox = ({ what, here, filter }: Props) => {
  const label = what === 'issues' ? t('Search issues') : t('Search pull requests')
  return (
    <Form action={here} method="get" class="list-search" label={label}>
      <input
        class="input"
        type="search"
        name="q"
        value={filterText(filter)}
        maxlength={500}
        aria-label={label}
        autocapitalize="none"
        spellcheck="false"
      />
      <Button icon="search" label={label} />
    </Form>
  )
}

export const ListBar = (props: Props) => {
  const at = listAddress(props.here, props.filter)
  return (
    <>
      <SearchBox {...props} />
      <FilterBar
        label={props.what === 'issues' ? t('State of issues') : t('State of pull requests')}
        filters={props.tabs.map(({ state, label, icon, count }) => ({
          label,
          icon,
          count,
          href: at({ state }),
          current: props.filter.state === state,
        }))}
      >
        <Menus {...props} />
      </FilterBar>
    </>
  )
}
