/**
 * The place in a list: which of its pages, and what the list is narrowed to. A form of one row names its row
 * alone. It leads back to the page that it was sent from, which browsers name with the request (`Referer`).
 * Without that header it leads to the first page.
 */

/** The numbers of pages and the filters of lists, as addresses name them. */
const PLACE = new Set([
  'page',
  'artifacts',
  'children',
  'files',
  'invitations',
  'outside',
  'plan',
  'repos',
  'running',
  'secrets',
  'archived',
  'environment',
  'kind',
  'q',
  'result',
  'ruleset',
  'severity',
  'sort',
  'state',
  'status',
  'type',
])

/** The page of this site that a request comes from. Null when the browser does not say it. */
export function previousPage({ headers }: Request, { host }: URL): URL | null {
  const from = URL.parse(headers.get('referer') ?? '')
  return from?.host === host ? from : null
}

/** An address with the place that another one names. What the address itself says wins. */
export function inPlaceOf(from: URL, address: URL): URL {
  const url = new URL(address)
  for (const [name, value] of from.searchParams)
    if (PLACE.has(name) && !address.searchParams.has(name)) url.searchParams.append(name, value)
  return url
}

/** Lets a redirect to the page that a form was sent from lead to its place there. */
export function leadBack(response: Response, from: URL | null): Response {
  const location = response.headers.get('location')
  if (from === null || response.status !== 303 || location?.startsWith('/') !== true)
    return response
  const address = new URL(location, from)
  if (address.pathname !== from.pathname || address.search !== '') return response
  const { pathname, search, hash } = inPlaceOf(from, address)
  response.headers.set('location', pathname + search + hash)
  return response
}
