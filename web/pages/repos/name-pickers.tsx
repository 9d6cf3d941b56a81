// The choice of one repository of a workspace, or of one branch: those that were pushed to last, and a
// search of all.
import { listRefNames, listRepos } from '#features/repos/index.ts'
import { FieldPicker, FieldSet, Select, withChosen } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import type { Visit } from '../../site.ts'
import { findChoices, type Choices } from '../choices.ts'
import { t } from '../../text.ts'

export type PickableNames = Choices<string>

/** The full names of repositories. */
export const loadPickableRepos = (visit: Visit, workspace: string): Promise<PickableNames> =>
  findChoices(visit, 'repository', async (page) => {
    const { items } = await visit.call(listRepos, { workspace, sort: 'pushed', ...page })
    return { items: items.map(({ full_name }) => full_name) }
  })

/** The default branch comes first. `key` names the picker within its page. */
export const loadPickableBranches = (
  visit: Visit,
  repo: string,
  key = 'branch',
): Promise<PickableNames> =>
  findChoices(visit, key, async ({ q, per_page }) => {
    const { branches } = await visit.call(listRefNames, { repo, q, branches: per_page, tags: 0 })
    return { items: branches }
  })

type NamePickerProps = {
  readonly name: string
  readonly label: string
  readonly hint?: Child
  readonly names: PickableNames
  /** The present choice, or empty. */
  readonly value: string
  readonly error: string | null
  readonly empty?: string
  readonly shown?: (name: string) => string
}

/** A picker of one name, with the chosen one below it. */
export const NamePicker = (props: NamePickerProps) => {
  const { name, label, hint, names, value, error, empty, shown = (given: string) => given } = props
  const optionOf = (full: string) => ({
    value: full,
    label: shown(full),
    shown: <bdi>{shown(full)}</bdi>,
    chosen: full === value,
  })
  return (
    <FieldSet legend={label} hint={hint} error={error}>
      <FieldPicker
        single
        align="left"
        name={name}
        label={label}
        summary={t('Choose')}
        empty={empty}
        search={names}
        options={withChosen(
          names.items.map(optionOf),
          value === '' ? [] : [optionOf(value)],
          names,
        )}
      />
      <p class="picker-chosen" data-picker-chosen aria-live="polite">
        {value !== '' && (
          <span>
            <bdi>{shown(value)}</bdi>
          </span>
        )}
      </p>
    </FieldSet>
  )
}

export const RepoPicker = ({
  repos,
  value,
  ...props
}: Omit<NamePickerProps, 'names' | 'empty' | 'shown'> & { repos: PickableNames }) => (
  <NamePicker
    {...props}
    names={repos}
    value={value.includes('/') ? value : ''}
    empty={t('No repositories yet')}
    shown={(full) => full.slice(full.indexOf('/') + 1)}
  />
)

/** A few branches are a select, which a phone shows as its own. `none` is the choice of no branch. */
export const BranchPicker = ({
  none,
  ...props
}: Omit<NamePickerProps, 'empty' | 'shown'> & { none?: string }) => {
  const { name, label, names, value, error } = props
  if (names.hasMore || names.q !== null)
    return (
      <NamePicker
        {...props}
        names={
          none === undefined || names.q !== null ? names : { ...names, items: ['', ...names.items] }
        }
        shown={(branch) => (branch === '' ? (none ?? '') : branch)}
      />
    )
  // A pull request keeps a base that was deleted.
  const isListed = none !== undefined || names.items.includes(value)
  const branches = isListed ? names.items : [value, ...names.items]
  return (
    <Select
      name={name}
      label={label}
      required={none === undefined}
      options={[
        ...(none === undefined ? [] : [{ value: '', label: none }]),
        ...branches.map((branch) => ({ value: branch, label: branch })),
      ]}
      value={value}
      error={error}
    />
  )
}
