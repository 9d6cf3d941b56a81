// What every page has around it: the layout, filled in from the visit.
import { countUnread } from '#features/notifications/index.ts'
import { Layout, type LayoutProps } from '../components/layout.tsx'
import { emptyFormState, type Visit } from '../site.ts'

type ShellProps = Omit<LayoutProps, 'viewer' | 'csrf' | 'flash'> & { visit: Visit }

/** A whole page for this visitor. */
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
    flash={visit.flash}
  />
)

/** The message of a refused form for one field; null when it is about another. */
export const fieldError = (visit: Visit, field: string): string | null => {
  const error = visit.form.error
  return error !== null && error.field === field ? error.message : null
}

/** The message of a refused form that belongs to none of the fields shown. */
export const formError = (visit: Visit, ...fields: string[]): string | null => {
  const error = visit.form.error
  return error !== null && (error.field === null || !fields.includes(error.field))
    ? error.message
    : null
}

/**
 * The visit as one of several forms of a page sees it: what was typed and refused belongs to the
 * form at that address alone.
 */
export const visitForForm = (visit: Visit, path: string): Visit =>
  visit.url.pathname === path ? visit : { ...visit, form: emptyFormState }
