// What is above a list of issues or pull requests: the search box, the states with their counts,
// and menus that change the text of the box.
import type { Label, Milestone } from '#features/issues/index.ts'
import {
  Button,
  FilterBar,
  Form,
  labelOption,
  LinkPicker,
  personOption,
  type ActorSummary,
  type IconName,
  type PickerOption,
} from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import { filterText, type ListFilter, type ListState } from './list-filter.ts'
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
  labels: readonly Label[]
  milestones: readonly Milestone[]
  people: readonly (ActorSummary & { username: string })[]
  menus?: readonly OwnMenu[]
}

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

function labelOptions({ filter, labels }: Props, at: Address): PickerOption[] {
  const lacks = filter.without.includes('label')
  const none: PickerOption = {
    label: t('No label'),
    href: at({
      labels: [],
      without: lacks ? without(filter, 'label') : [...filter.without, 'label'],
    }),
    chosen: lacks,
  }
  return [
    none,
    ...labels.map((label) => {
      const chosen = filter.labels.some((name) => name.toLowerCase() === label.name.toLowerCase())
      const others = filter.labels.filter((name) => name.toLowerCase() !== label.name.toLowerCase())
      return {
        ...labelOption(label),
        chosen,
        href: at({
          labels: chosen ? others : [...others, label.name],
          without: without(filter, 'label'),
        }),
      }
    }),
  ]
}

/** The people of a menu, with the chosen one, who may be none of them. */
function peopleOptions(
  { filter, people }: Props,
  field: 'author' | 'assignee',
  at: Address,
): PickerOption[] {
  const chosen = filter[field]
  const all =
    chosen === undefined || chosen === '@me' || people.some(({ username }) => username === chosen)
      ? people
      : [{ username: chosen }, ...people]
  return all.map((person) => ({
    ...personOption(person),
    chosen: person.username === chosen,
    href: at({
      [field]: person.username === chosen ? undefined : person.username,
      ...(field === 'assignee' ? { without: without(filter, 'assignee') } : {}),
    }),
  }))
}

function assigneeOptions(props: Props, at: Address): PickerOption[] {
  const { filter } = props
  const lacks = filter.without.includes('assignee')
  return [
    {
      label: t('Nobody assigned'),
      chosen: lacks,
      href: at({
        assignee: undefined,
        without: lacks ? without(filter, 'assignee') : [...filter.without, 'assignee'],
      }),
    },
    ...peopleOptions(props, 'assignee', at),
  ]
}

function milestoneOptions({ filter, milestones }: Props, at: Address): PickerOption[] {
  const lacks = filter.without.includes('milestone')
  return [
    {
      label: t('No milestone'),
      chosen: lacks,
      href: at({
        milestone: undefined,
        without: lacks ? without(filter, 'milestone') : [...filter.without, 'milestone'],
      }),
    },
    ...milestones.map(({ id, title, state }) => {
      const chosen = filter.milestone === id || filter.milestone === title
      return {
        label: title,
        hint: state === 'closed' ? t('Closed') : null,
        chosen,
        href: at({
          milestone: chosen ? undefined : title,
          without: without(filter, 'milestone'),
        }),
      }
    }),
  ]
}

const Menus = (props: Props) => {
  const { filter, menus = [] } = props
  const at = listAddress(props.here, filter)
  const shared = [
    [t('Author'), peopleOptions(props, 'author', at)],
    [t('Label'), labelOptions(props, at)],
    [t('Milestone'), milestoneOptions(props, at)],
    [t('Assignee'), assigneeOptions(props, at)],
    ...menus.map(({ label, options }) => [label, options(at)] as const),
    [
      t('Sort'),
      SORTINGS.map(([sort, direction, label]) => ({
        label,
        chosen: filter.sort === sort && filter.direction === direction,
        href: at({ sort, direction }),
      })),
    ],
  ] as const
  return (
    <div class="list-menus">
      {shared.map(([label, options]) => (
        <LinkPicker label={label} options={options} small />
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
