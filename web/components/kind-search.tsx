import { withQuery } from '../paths.ts'
import { t } from '../text.ts'
import { Button } from './button.tsx'
import { Field, Form } from './form.tsx'
import { FilterBar } from './tabs.tsx'

/** A search among things of several kinds, at `here?q=…&kind=…`. */
export const KindSearch = <Kind extends string>(props: {
  here: string
  /** Names the filters. */
  label: string
  searchLabel: string
  kinds: readonly Kind[]
  kindLabels: Readonly<Record<Kind, string>>
  kind: Kind | null
  query: string
}) => {
  const { here, kind, query } = props
  const at = (change: { kind?: Kind }) => withQuery(here, { q: query || undefined, ...change })
  return (
    <FilterBar
      label={props.label}
      filters={[
        { label: t('All'), href: at({}), current: kind === null },
        ...props.kinds.map((one) => ({
          label: props.kindLabels[one],
          href: at({ kind: one }),
          current: kind === one,
        })),
      ]}
    >
      <Form action={here} method="get" inline label={props.searchLabel}>
        {kind !== null && <input type="hidden" name="kind" value={kind} />}
        <Field
          name="q"
          type="search"
          label={props.searchLabel}
          hideLabel
          value={query}
          maxlength={500}
        />
        <Button icon="search">{t('Search')}</Button>
      </Form>
    </FilterBar>
  )
}
