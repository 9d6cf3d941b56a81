/** The number of a page of a list, in its address. */

const MAX_PAGE = 1_000_000

/** 1 for an address without a number, and with anything else in its place. */
export function pageNumber({ url }: { readonly url: URL }, name = 'page'): number {
  const page = Number(url.searchParams.get(name) ?? '1')
  return Number.isSafeInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1
}
