// The layout of every page, filled in from the visit.
import { countUnread } from '#features/notifications/index.ts'
import { Layout, type LayoutProps } from '../components/layout.tsx'
import { emptyFormState, type Visit } from '../site.ts'

type ShellProps = Omit<LayoutProps, 'viewer' | 'csrf' | 'flash'> & { visit: Visit }

/** A whole page. */
export const Shell = ({ visit, ...rest }: ShellProps) => (
  <Layout
    {...rest}
    viewer={
      visit.viewer && {
        username: visit.viewer.username,
        name: null,
        site_admin: visit.viewer.site_admin,
        unread: countUnread(visit.hearth, visit.viewer),
      }
    }
    csrf={visit.csrf}
    theme={visit.appearance.theme === 'system' ? undefined : visit.appearance.theme}
    diffColours={visit.appearance.diffColours}
    flash={visit.flash}
  />
)

/** The field that a refusal names. A list is typed into one field, so `paths[1]` is about `paths`. */
const refusedField = ({ form }: Visit): string | null =>
  form.error?.field?.replace(/\[\d+\]$/, '') ?? null

/** The message of a refusal about one field. Null when it is about another. */
export const fieldError = (visit: Visit, field: string): string | null =>
  refusedField(visit) === field ? (visit.form.error?.message ?? null) : null

/** The message of a refusal that is about none of the fields. */
export const formError = (visit: Visit, ...fields: string[]): string | null =>
  fields.includes(refusedField(visit) ?? '') ? null : (visit.form.error?.message ?? null)

/**
 * The visit for one of several forms of a page: typed values and refusals belong to the form with
 * that address only.
 */
export const visitForForm = (visit: Visit, path: string): Visit =>
  visit.url.pathname === path ? visit : { ...visit, form: emptyFormState }
