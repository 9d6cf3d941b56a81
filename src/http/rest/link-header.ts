/** The `Link` header of a list answer (RFC 8288). */
import type { Route } from './rest-route.ts'

type Pages = { readonly next: string | null; readonly total?: number }

const withParameters = (query: string, changes: Record<string, string | null>): string => {
  const unchanged = query
    .split('&')
    .filter((part) => part !== '' && !((part.split('=')[0] ?? '') in changes))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return [...unchanged, ...added].join('&')
}

/**
 * Links to the pages `next`, `prev`, `first` and, if the total is known, `last`; null for a list
 * with one page.
 */
export function linkHeader(
  route: Route,
  address: string,
  query: string,
  input: Record<string, unknown>,
  { next, total }: Pages,
): string | null {
  const link = (rel: string, changes: Record<string, string | null>) => {
    const changed = withParameters(query, changes)
    return `<${address}${changed === '' ? '' : `?${changed}`}>; rel="${rel}"`
  }
  const paging = route.operation.list
  if (paging === null || route.list === null) return null
  const links: string[] = []
  if (paging === 'page') {
    const page = typeof input.page === 'number' ? input.page : 1
    const size = Math.min(
      typeof input.per_page === 'number' ? input.per_page : route.list.defaultSize,
      route.list.maxSize,
    )
    if (next !== null) links.push(link('next', { page: next }))
    if (page > 1) links.push(link('prev', { page: String(page - 1) }))
    if (next !== null || page > 1) links.push(link('first', { page: '1' }))
    if (total !== undefined && (next !== null || page > 1))
      links.push(link('last', { page: String(Math.max(1, Math.ceil(total / size))) }))
  } else {
    if (next !== null) links.push(link('next', { [paging]: next }))
    if (next !== null || input[paging] !== undefined) links.push(link('first', { [paging]: null }))
  }
  return links.length === 0 ? null : links.join(', ')
}
