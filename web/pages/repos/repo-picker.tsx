// The choice of one repository of a workspace: a picker of those that were pushed to last, or a
// field that completes names when the workspace has more than the picker shows.
import { listRepos } from '#features/repos/index.ts'
import { Field, FieldPicker, FieldSet } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'

const MAX_PICKED = 100

export type PickableRepos = {
  readonly names: readonly string[]
  readonly hasMore: boolean
}

export async function loadPickableRepos(visit: Visit, workspace: string): Promise<PickableRepos> {
  const { items, next } = await visit.call(listRepos, {
    workspace,
    per_page: MAX_PICKED,
    sort: 'pushed',
  })
  return { names: items.map(({ full_name }) => full_name), hasMore: next !== null }
}

type RepoPickerProps = {
  name: string
  label: string
  hint: string
  repos: PickableRepos
  /** The full name of the present choice, or empty. */
  value: string
  error: string | null
}

export const RepoPicker = ({ name, label, hint, repos, value, error }: RepoPickerProps) => {
  const shortName = (full: string): string => full.slice(full.indexOf('/') + 1)
  if (repos.hasMore)
    return (
      <Field
        name={name}
        label={label}
        required
        mono
        suggestions={repos.names}
        value={value}
        error={error}
        hint={hint}
      />
    )
  const names = [...new Set([...(value.includes('/') ? [value] : []), ...repos.names])]
  return (
    <FieldSet legend={label} hint={hint} error={error}>
      <FieldPicker
        single
        align="left"
        name={name}
        label={label}
        summary={t('Choose')}
        empty={t('No repositories yet')}
        options={names.map((full) => ({
          value: full,
          label: shortName(full),
          shown: <bdi>{shortName(full)}</bdi>,
          chosen: full === value,
        }))}
      />
      <p class="picker-chosen" data-picker-chosen aria-live="polite">
        {value !== '' && (
          <span>
            <bdi>{shortName(value)}</bdi>
          </span>
        )}
      </p>
    </FieldSet>
  )
}
